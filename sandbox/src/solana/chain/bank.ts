import { BLOCKHASH_BLOCKS } from '../chain-facts.ts'
import { resolveKeys } from './account-keys.ts'
import { isSameAccount } from './account.ts'
import type { StoredAccount } from './account.ts'
import { blockAfter, blockHash, hashBytes } from './block.ts'
import type { Block } from './block.ts'
import { recordOf } from './landing-record.ts'
import type { RecordStore } from './record-store.ts'
import type { Svm } from './svm.ts'
import type { TransactionError } from './transaction-error.ts'
import type { TransactionRecord } from './transaction-record.ts'
import type { WireTransaction } from './wire-transaction.ts'

/** Blocks that are kept: more than the blockhash window, less than what costs something. */
export const BLOCKS_MAX = 512

export type Landing =
  | { readonly kind: 'landed'; readonly record: TransactionRecord }
  | { readonly kind: 'refused'; readonly error: TransactionError }

/** Blocks and what is in them: lets transactions land, closes blocks, and can take blocks back. */
export interface Bank {
  readonly svm: Svm
  readonly records: RecordStore
  /** Oldest first; the last one is open. */
  blocks(): readonly Block[]
  open(): Block
  /** The newest block at or below a slot. */
  blockAt(slot: number): Block
  /** An account as it was after the last block at or below a slot. */
  readAt(address: string, slot: number): StoredAccount | undefined
  /** Addresses that changed above a slot. */
  touchedAbove(slot: number): ReadonlySet<string>
  /** Whether a blockhash can be used in the block at a slot. */
  isUsable(blockhash: string, slot: number): boolean
  /** The last height at which it can be used, if it is known. */
  lastValidHeight(blockhash: string): number | undefined
  /** Why a transaction cannot land in the block at a slot (the open one), as far as that is known there without running it. */
  obstacle(wire: WireTransaction, slot?: number): TransactionError | undefined
  land(wire: WireTransaction): Landing
  /** Closes the open block and opens one at `slot`, by default the next. */
  advance(unixSeconds: number, slot?: number): void
  /** Takes every block from a slot on back, and gives them back, oldest first. The caller opens another one. */
  revert(fromSlot: number): readonly Block[]
  /** Forgets what accounts were before a slot. */
  forgetBefore(slot: number): void
  /** Message hashes by blockhash, of everything whose blockhash still lives. */
  landedMessages(): ReadonlyMap<string, ReadonlySet<string>>
}

export interface BankStart {
  readonly svm: Svm
  readonly records: RecordStore
  /** At least one; the last one is open. */
  readonly blocks: readonly Block[]
  readonly landedMessages?: ReadonlyMap<string, ReadonlySet<string>>
}

export function openBank({ svm, records, blocks: given, landedMessages: known }: BankStart): Bank {
  let blocks = [...given]
  const heights = new Map<string, { height: number; slot: number }>()
  const messages = new Map<string, Set<string>>()
  for (const [hash, seen] of known ?? []) messages.set(hash, new Set(seen))

  const open = (): Block => {
    const last = blocks.at(-1)
    if (last === undefined) throw new Error('a chain has at least one block')
    return last
  }
  const noteHash = ({ hash, height, slot }: Block): void => {
    if (hash !== undefined) heights.set(hash, { height, slot })
  }
  for (const block of blocks) noteHash(block)

  const enter = (block: Block): void => {
    const hashes = blocks
      .flatMap(({ slot, hash }): [number, string][] => (hash === undefined ? [] : [[slot, hash]]))
      .toReversed()
      .map(([slot, hash]): [number, Uint8Array] => [slot, slotHashBytes(hash)])
    svm.enterSlot(block.slot, block.time, hashes)
  }
  const slotHashBytes = remembered(hashBytes, BLOCKS_MAX * 2)
  enter(open())

  const isUsable = (blockhash: string, slot: number): boolean => {
    const issued = heights.get(blockhash)
    if (issued === undefined || issued.slot > slot) return false
    return blockAt(slot).height <= issued.height + BLOCKHASH_BLOCKS
  }
  const blockAt = (slot: number): Block =>
    blocks.findLast((block) => block.slot <= slot) ?? blocks[0] ?? open()

  const obstacle = (wire: WireTransaction, slot = open().slot): TransactionError | undefined => {
    if (!isUsable(wire.blockhash, slot)) return 'BlockhashNotFound'
    const isKnown = messages.get(wire.blockhash)?.has(wire.messageHash) === true
    return isKnown && !landedAbove(slot, wire) ? 'AlreadyProcessed' : undefined
  }
  const landedAbove = (slot: number, { messageHash }: WireTransaction): boolean =>
    blocks.some(
      (block) =>
        block.slot > slot &&
        block.signatures.some((one) => records.get(one)?.messageHash === messageHash),
    )

  const land = (wire: WireTransaction): Landing => {
    const refusal = obstacle(wire) ?? (wire.isSigned ? undefined : 'SignatureFailure')
    if (refusal !== undefined) return { kind: 'refused', error: refusal }
    const keys = resolveKeys(wire.message, svm.read)
    if ('error' in keys) return { kind: 'refused', error: keys.error }
    const before = new Map(keys.keys.map((key) => [key, svm.read(key)]))
    const outcome = svm.execute(wire.transaction)
    const after = new Map(before)
    for (const key of keys.writable) after.set(key, svm.read(key))
    const payer = keys.keys[0] ?? ''
    // What landed was charged, whatever came of it.
    if (outcome.error !== null && before.get(payer)?.lamports === after.get(payer)?.lamports) {
      return { kind: 'refused', error: outcome.error }
    }
    const block = open()
    for (const key of keys.writable) {
      if (block.before.has(key) || isSameAccount(before.get(key), after.get(key))) continue
      block.before.set(key, before.get(key))
    }
    const record = recordOf({ wire, keys, before, after, outcome, block, read: svm.read })
    block.signatures.push(wire.signature)
    records.add(record)
    const seen = messages.get(wire.blockhash) ?? new Set()
    messages.set(wire.blockhash, seen.add(wire.messageHash))
    return { kind: 'landed', record }
  }

  const prune = (): void => {
    for (const old of blocks.splice(0, Math.max(0, blocks.length - BLOCKS_MAX))) {
      if (old.hash !== undefined) heights.delete(old.hash)
    }
    for (const hash of messages.keys()) if (!isUsable(hash, open().slot)) messages.delete(hash)
  }

  return {
    svm,
    records,
    blocks: () => blocks,
    open,
    blockAt,
    readAt(address, slot) {
      const changed = blocks.find((block) => block.slot > slot && block.before.has(address))
      return changed === undefined ? svm.read(address) : changed.before.get(address)
    },
    touchedAbove: (slot) =>
      new Set(blocks.flatMap((block) => (block.slot > slot ? [...block.before.keys()] : []))),
    isUsable,
    lastValidHeight(blockhash) {
      const issued = heights.get(blockhash)
      return issued === undefined ? undefined : issued.height + BLOCKHASH_BLOCKS
    },
    obstacle,
    land,
    advance(unixSeconds, slot) {
      const closing = open()
      const hash = blockHash(closing)
      closing.hash = hash
      noteHash(closing)
      const next = blockAfter({ ...closing, hash }, slot ?? closing.slot + 1, unixSeconds)
      blocks.push(next)
      enter(next)
      prune()
    },
    revert(fromSlot) {
      const removed = blocks.filter(({ slot }) => slot >= fromSlot)
      blocks = blocks.filter(({ slot }) => slot < fromSlot)
      for (const block of removed.toReversed()) {
        for (const [address, account] of block.before) svm.write(address, account)
        if (block.hash !== undefined) heights.delete(block.hash)
        for (const signature of block.signatures) {
          const record = records.get(signature)
          for (const seen of messages.values()) seen.delete(record?.messageHash ?? '')
        }
      }
      return removed
    },
    forgetBefore(slot) {
      for (const block of blocks)
        if (block.slot < slot && block.before.size > 0) block.before = new Map()
    },
    landedMessages: () => messages,
  }
}

/** The same small computation, once for each of the last inputs. */
function remembered<T>(work: (text: string) => T, max: number): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const made = work(text)
    known.set(text, made)
    for (const oldest of known.keys()) if (known.size > max) known.delete(oldest)
    return made
  }
}
