import { createHash } from 'node:crypto'
import {
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  getTransactionEncoder,
} from '@solana/kit'
import type { Transaction } from '@solana/kit'
import type { Message } from './compiled-message.ts'

/** What a transaction takes at most, by its version. Source: SIMD-0385, "Transaction Constraints". */
export function wireBytesMax({ version }: Pick<Message, 'version'>): number {
  return version === 1 ? WIRE_BYTES_MAX : PACKET_BYTES
}

/** What the longest of any version takes. */
export const WIRE_BYTES_MAX = 4_096
/** What fitted into one packet of the network before version 1. */
const PACKET_BYTES = 1_232

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

/** Reads the wire format (legacy, version 0 or 1). Undefined when it is none, also when something follows it. */
export function readWire(bytes: Uint8Array): WireTransaction | undefined {
  try {
    const transaction = getTransactionDecoder().decode(bytes)
    const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes)
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
