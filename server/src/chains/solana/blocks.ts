import type { FinalityPolicy } from '../../kernel/network-config.ts'
import { NodeFailure } from '../chain.ts'
import type { Block, Head } from '../chain.ts'
import { fieldsFrom, listFrom, malformed } from '../json-rpc/answer.ts'
import { isUnknownMethod } from '../json-rpc/unknown-method.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { KNOWN_VERSIONS } from './any-version.ts'
import { blockhashFrom, contextFrom, heightFrom, transactionHashFrom } from './answer.ts'

const CONFIRMED = { commitment: 'confirmed' }
const MILLISECONDS = 1000n
/** Blocks that may stand above the one of a blockhash that is still taken. Source: Agave, `MAX_PROCESSING_AGE`. */
export const LIFETIME_BLOCKS = 150n
/** The last moment that a date can be. Source: ECMA-262. */
const TIME_MILLISECONDS_MAX = 8_640_000_000_000_000n
/** A full block's signatures are about 400 KB of JSON; so many stay far below what an answer may have. */
const BLOCKS_PER_READ_MAX = 20

const BARE = { rewards: false, ...KNOWN_VERSIONS }

interface Linked {
  readonly parentSlot: bigint
  readonly block: Block
}

/** A blockhash to build on, with the slot that it is the hash of. */
export interface Lifetime {
  readonly slot: bigint
  readonly blockhash: string
  /** The last block height, not slot, at which bytes with it are taken. */
  readonly lastValidBlockHeight: bigint
}

export const lifetimeRead: Read<Lifetime> = {
  method: 'getLatestBlockhash',
  params: [CONFIRMED],
  parse: (result) => {
    const { slot, value } = contextFrom(result, 'latest blockhash')
    const fields = fieldsFrom(value, 'latest blockhash')
    return {
      slot,
      blockhash: blockhashFrom(fields['blockhash'], 'blockhash'),
      lastValidBlockHeight: lastValidFrom(fields['lastValidBlockHeight'], slot),
    }
  },
}

/**
 * Reads the last block height of the newest blockhash, that of the block at a slot: an age above a height that is no higher than the slot. One
 * that is too early would be proof that bytes expired which can still be included.
 */
function lastValidFrom(value: unknown, slot: bigint): bigint {
  const height = heightFrom(value, 'last valid block height')
  if (height < LIFETIME_BLOCKS || height > slot + LIFETIME_BLOCKS) {
    throw malformed('last valid block height', `${height}`)
  }
  return height
}

/** Whether a blockhash is one of this chain that a transaction can still use, and at which slot it is or is not. */
export function blockhashLiveRead(
  blockhash: string,
  commitment: 'confirmed' | 'finalized' = 'confirmed',
): Read<{ readonly slot: bigint; readonly isLive: boolean }> {
  return {
    method: 'isBlockhashValid',
    params: [blockhash, { commitment }],
    parse: (result) => {
      const { slot, value } = contextFrom(result, 'blockhash')
      if (typeof value !== 'boolean') throw malformed('validity of a blockhash', value)
      return { slot, isLive: value }
    },
  }
}

/**
 * Where the chain is, and how much of it the policy calls final. Heights are slots. One round trip: the newest blockhash of a
 * confirmed slot is that slot's own.
 */
export async function readHead(transport: Transport, policy: FinalityPolicy): Promise<Head> {
  const latest = transport.read(lifetimeRead)
  if (policy.kind === 'depth') {
    const { slot, blockhash } = await latest
    const depth = BigInt(policy.blocks)
    return { height: slot, hash: blockhash, finalizedHeight: slot > depth ? slot - depth : 0n }
  }
  const [{ slot, blockhash }, finalized] = await Promise.all([
    latest,
    transport.read(slotRead('finalized')),
  ])
  // Two items of one batch may see different heads; nothing above the head is final.
  const finalizedHeight = finalized < slot ? finalized : slot
  return { height: slot, hash: blockhash, finalizedHeight }
}

/**
 * Blocks in order from a slot on, as far as the confirmed chain goes and each stands on the one before; slots without a block
 * are left out. Throws NodeFailure when the node is behind that slot, no longer has it, or has a gap.
 */
export async function readBlocks(
  transport: Transport,
  fromSlot: bigint,
  count: number,
): Promise<readonly Block[]> {
  const [slot, first, slots] = await Promise.all([
    transport.read(slotRead('confirmed')),
    transport.read(firstAvailableRead),
    transport.read(slotsRead(fromSlot, count)),
  ])
  if (slot < fromSlot) throw new NodeFailure(`the node is at slot ${slot}, before ${fromSlot}`)
  if (first > fromSlot) throw new NodeFailure(`the node has no blocks before slot ${first}`)
  // The slot that the node has just named holds a block: without one it contradicts itself, and looks as if the chain had left all of them behind.
  const told = slots.length > 0 ? slots : await transport.read(someSlotsRead(fromSlot, count))
  const found = await Promise.all(told.map((each) => transport.read(blockRead(each))))
  const blocks: Block[] = []
  for (const { parentSlot, block } of found) {
    const below = blocks.at(-1)
    if (below === undefined && parentSlot >= fromSlot) {
      throw new NodeFailure(`the node lacks slot ${parentSlot}`)
    }
    if (below !== undefined && block.parentHash !== below.hash) {
      if (parentSlot > below.height) throw new NodeFailure(`the node lacks slot ${parentSlot}`)
      // The chain moved between two items of the batch: the part below is whole, the rest is read again later.
      break
    }
    blocks.push(block)
  }
  return blocks
}

/**
 * The hash of the block at a slot that a node has just named. Without a block there it contradicts itself, or the chain has
 * moved in between: a NodeFailure either way, and the next look is a whole one.
 */
export function blockHashRead(slot: bigint): Read<string | null> {
  return {
    method: 'getBlock',
    params: [Number(slot), { ...CONFIRMED, ...BARE, transactionDetails: 'none' }],
    parse: (result) => blockhashFrom(fieldsFrom(result, 'block')['blockhash'], 'blockhash'),
    // Nodes keep transactions longer than blocks.
    meaning: ({ code }) => (code === CLEANED_UP ? null : undefined),
  }
}

const CLEANED_UP = -32001

function blockRead(slot: bigint): Read<Linked> {
  return {
    method: 'getBlock',
    params: [Number(slot), { ...CONFIRMED, ...BARE, transactionDetails: 'signatures' }],
    parse: (result) => {
      const fields = fieldsFrom(result, 'block')
      const signatures = listFrom(fields['signatures'], "block's signatures")
      return {
        parentSlot: parentFrom(fields['parentSlot'], slot),
        block: {
          height: slot,
          hash: blockhashFrom(fields['blockhash'], 'blockhash'),
          parentHash: blockhashFrom(fields['previousBlockhash'], 'previous blockhash'),
          timeMilliseconds: timeFrom(fields['blockTime']),
          transactionHashes: signatures.map((each) => transactionHashFrom(each, 'signature')),
        },
      }
    },
  }
}

function parentFrom(value: unknown, slot: bigint): bigint {
  const parent = heightFrom(value, 'parent slot')
  if (parent > slot || (parent === slot && slot > 0n)) throw malformed('parent slot', `${parent}`)
  return parent
}

/** Nodes tell seconds. */
function timeFrom(value: unknown): number {
  const milliseconds = heightFrom(value, 'block time') * MILLISECONDS
  if (milliseconds > TIME_MILLISECONDS_MAX) throw malformed('block time', `${milliseconds}`)
  return Number(milliseconds)
}

function slotRead(commitment: 'confirmed' | 'finalized'): Read<bigint> {
  return {
    method: 'getSlot',
    params: [{ commitment }],
    parse: (result) => heightFrom(result, 'slot'),
  }
}

const firstAvailableRead: Read<bigint> = {
  method: 'getFirstAvailableBlock',
  params: [],
  parse: (result) => heightFrom(result, 'first available block'),
  meaning: (error) => (isUnknownMethod(error) ? 0n : undefined),
}

function slotsRead(fromSlot: bigint, blocks: number): Read<readonly bigint[]> {
  const count = Math.min(blocks, BLOCKS_PER_READ_MAX)
  return {
    method: 'getBlocksWithLimit',
    params: [Number(fromSlot), count, CONFIRMED],
    parse: (result) => {
      const slots = listFrom(result, 'slots').map((slot) => heightFrom(slot, 'slot'))
      // Each is asked for next, so that more than were asked for have no end.
      const isInOrder = slots.every((slot, index) => slot > (slots[index - 1] ?? fromSlot - 1n))
      if (!isInOrder || slots.length > count) throw malformed('slots', 'order')
      return slots
    },
  }
}

/** The same where there must be one: a node that tells none is passed over for the next. */
function someSlotsRead(fromSlot: bigint, blocks: number): Read<readonly bigint[]> {
  const read = slotsRead(fromSlot, blocks)
  return {
    ...read,
    parse: (result) => {
      const slots = read.parse(result)
      if (slots.length === 0) throw malformed('slots', 'none')
      return slots
    },
  }
}
