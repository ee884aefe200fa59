import { createHash } from 'node:crypto'
import { getBase58Decoder, getBase58Encoder } from '@solana/kit'
import type { StoredAccount } from './account.ts'

/** One block. The last one of a chain is open: transactions still land in it and it has no hash yet. */
export interface Block {
  readonly slot: number
  readonly parentSlot: number
  readonly height: number
  readonly previousHash: string
  /** Undefined while open. */
  hash: string | undefined
  /** Unix seconds. */
  readonly time: number
  readonly signatures: string[]
  /** Accounts that its transactions changed, as they were before it. */
  before: Map<string, StoredAccount | undefined>
}

/**
 * A block's hash follows from its parent, slot and transactions. So an empty block is the same again after a crash
 * without having been written.
 */
export function blockHash({ previousHash, slot, signatures }: Omit<Block, 'hash'>): string {
  const sum = createHash('sha256').update(previousHash).update(String(slot))
  for (const signature of signatures) sum.update(signature)
  return base58Of(sum.digest())
}

export function base58Of(bytes: Uint8Array): string {
  return getBase58Decoder().decode(bytes)
}

export function hashBytes(hash: string): Uint8Array {
  return Uint8Array.from(getBase58Encoder().encode(hash))
}

/** A block that follows another one; slots between them stay without a block. */
export function blockAfter(
  parent: Block & { readonly hash: string },
  slot: number,
  time: number,
): Block {
  return {
    slot,
    parentSlot: parent.slot,
    height: parent.height + 1,
    previousHash: parent.hash,
    hash: undefined,
    time: Math.max(time, parent.time),
    signatures: [],
    before: new Map(),
  }
}
