import { createHash } from 'node:crypto'
import {
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  getTransactionEncoder,
} from '@solana/kit'
import type {
  CompiledTransactionMessage,
  CompiledTransactionMessageWithLifetime,
  Transaction,
} from '@solana/kit'

/** What fits into one packet of the network. */
export const WIRE_BYTES_MAX = 1_232

/** A message that this chain takes. */
export type Message = Exclude<CompiledTransactionMessage, { readonly version: 1 }> &
  CompiledTransactionMessageWithLifetime

/** A transaction as it came, with what the chain needs to know about it. */
export interface WireTransaction {
  readonly bytes: Uint8Array
  readonly transaction: Transaction
  readonly message: Message
  /** The first signature: the transaction's name. */
  readonly signature: string
  /** Decides about duplicates: another valid signature of the same message is the same transaction. */
  readonly messageHash: string
  readonly blockhash: string
  /** Every place for a signature is filled. Whether they are right is the machine's business. */
  readonly isSigned: boolean
}

/** Reads the wire format (legacy or version 0). Undefined when it is none, also when something follows it. */
export function readWire(bytes: Uint8Array): WireTransaction | undefined {
  try {
    const transaction = getTransactionDecoder().decode(bytes)
    const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes)
    if (message.version === 1) return undefined
    if (getTransactionEncoder().encode(transaction).length !== bytes.length) return undefined
    const signatures = Object.values(transaction.signatures)
    return {
      bytes,
      transaction,
      message,
      signature: getBase58Decoder().decode(signatures[0] ?? new Uint8Array(64)),
      messageHash: hashOf(transaction.messageBytes),
      blockhash: message.lifetimeToken,
      isSigned: signatures.every((signature) => signature !== null),
    }
  } catch {
    return undefined
  }
}

function hashOf(bytes: { readonly length: number } & Iterable<number>): string {
  return createHash('sha256').update(Uint8Array.from(bytes)).digest('base64')
}
