import type { Address, TokenTransfer, TransactionHash } from '@florin/server/chains/chain.ts'
import { authorizationKey, isInTime } from './authorization.ts'
import type { HeardTransfer } from './signed-transfer.ts'

/** What became of a transfer in a block. One that shares its transaction with others has an entry like theirs, with the same hash. */
export interface Included {
  readonly transfer: HeardTransfer
  readonly succeeded: boolean
  /** Whether the money arrived: a token may call that success and move nothing. */
  readonly moved: boolean
  readonly feePaid: bigint
  readonly transfers: readonly TokenTransfer[]
}

export interface ModelBlock {
  readonly height: bigint
  readonly hash: string
  readonly parent: ModelBlock | undefined
  readonly timeMilliseconds: number
  readonly included: readonly Included[]
  /** Balances and used places after this block, see `balanceKey` and `nonceKey`. */
  readonly state: ReadonlyMap<string, bigint>
}

/** How the code at an address behaves towards money that comes to it. */
export type Manner = 'takes' | 'refuses' | 'swallows' | 'moody'

export const balanceKey = (address: Address, asset: string) => `${address} ${asset}`
export const nonceKey = (address: Address) => `${address} places`

/** Where the model's money comes from: pays no fee, has no places, never runs dry. */
export const SOURCE = 'source' as Address

/** Whoever else carries payers' authorizations to the chain: no fee, no places. */
export const COURIER = 'courier' as Address

export const isOutside = (address: Address) => address === SOURCE || address === COURIER

/** Every block that ever was, forks too. What it says is the truth that the service's books are held against. */
export interface BlockTree {
  readonly first: ModelBlock
  /** Forks too, oldest first. */
  readonly everything: readonly ModelBlock[]
  append(parent: ModelBlock, transfers: readonly HeardTransfer[], facts: BlockFacts): ModelBlock
  /** The state after the transfers, if the next block that is made builds on `parent` and holds them. */
  preview(
    parent: ModelBlock,
    transfers: readonly HeardTransfer[],
    timeMilliseconds: number,
  ): ReadonlyMap<string, bigint>
  /** The block of the line ending in `tip` that holds a transaction. */
  find(
    tip: ModelBlock,
    hash: TransactionHash,
  ): { block: ModelBlock; included: Included } | undefined
}

interface BlockFacts {
  readonly height: bigint
  readonly timeMilliseconds: number
}

/** From a block down to the first. */
export function* line(tip: ModelBlock): Generator<ModelBlock> {
  for (let at: ModelBlock | undefined = tip; at !== undefined; at = at.parent) yield at
}

export function ancestorAt(tip: ModelBlock, height: bigint): ModelBlock | undefined {
  for (const block of line(tip)) {
    if (block.height === height) return block
    if (block.height < height) return undefined
  }
  return undefined
}

export function openBlockTree(
  network: string,
  state: ReadonlyMap<string, bigint>,
  mannerOf: (address: Address) => Manner,
  takesMore: boolean,
): BlockTree {
  const holders = new Map<TransactionHash, ModelBlock[]>()
  let made = 0
  const nameOf = (height: bigint) => `${network} ${height} ${(made += 1)}`
  const first: ModelBlock = {
    height: 1n,
    hash: nameOf(1n),
    parent: undefined,
    timeMilliseconds: 0,
    included: [],
    state,
  }
  const executeAll = (
    parent: ModelBlock,
    transfers: readonly HeardTransfer[],
    timeMilliseconds: number,
  ) => {
    const state = new Map(parent.state)
    const moody = made % 2 === 1 ? 'refuses' : 'takes'
    const included: Included[] = []
    for (const transfer of transfers) {
      const manner = mannerOf(transfer.to)
      const how = { manner: manner === 'moody' ? moody : manner, takesMore, timeMilliseconds }
      included.push(...execute(state, transfer, { ...how, logIndex: included.length }))
    }
    return { state, included }
  }
  const everything = [first]
  return {
    first,
    everything,
    preview: (parent, transfers, timeMilliseconds) =>
      executeAll(parent, transfers, timeMilliseconds).state,
    append: (parent, transfers, { height, timeMilliseconds }) => {
      const { state, included } = executeAll(parent, transfers, timeMilliseconds)
      const hash = nameOf(height)
      const block = { height, hash, parent, timeMilliseconds, included, state }
      everything.push(block)
      for (const { transfer } of included) {
        holders.set(transfer.hash, [...(holders.get(transfer.hash) ?? []), block])
      }
      return block
    },
    find: (tip, hash) => {
      for (const block of holders.get(hash) ?? []) {
        if (ancestorAt(tip, block.height) !== block) continue
        const included = block.included.filter(({ transfer }) => transfer.hash === hash)
        const [first] = included
        if (first === undefined) continue
        const feePaid = included.reduce((sum, one) => sum + one.feePaid, 0n)
        const seen = included.flatMap(({ transfers }) => transfers)
        const succeeded = included.length > 1 || first.succeeded
        return { block, included: { ...first, succeeded, feePaid, transfers: seen } }
      }
      return undefined
    },
  }
}

interface How {
  readonly manner: Manner
  readonly takesMore: boolean
  readonly logIndex: number
  readonly timeMilliseconds: number
}

/** Carries out a transaction on a block's state. */
function execute(
  state: Map<string, bigint>,
  transfer: HeardTransfer,
  how: How,
): readonly Included[] {
  const { parts, ...shared } = transfer
  if (parts === undefined) return [executeOne(state, transfer, how)]
  // It pays its fee, and moves what its parts move.
  const { feePaid } = executeOne(state, { ...shared, asset: 'native', amount: 0n }, how)
  return parts.map((part, index) => {
    const logIndex = how.logIndex + index
    const own = { ...shared, ...part, from: COURIER }
    const done = executeOne(state, own, { ...how, logIndex })
    return {
      ...done,
      transfer: { ...own, from: transfer.from },
      feePaid: index === 0 ? feePaid : 0n,
    }
  })
}

function executeOne(
  state: Map<string, bigint>,
  transfer: HeardTransfer,
  { manner, takesMore, logIndex, timeMilliseconds }: How,
): Included {
  const { from, to, asset, amount, fee, nonce, authorization } = transfer
  const add = (key: string, change: bigint) => state.set(key, (state.get(key) ?? 0n) + change)
  if (from === SOURCE) {
    add(balanceKey(to, asset), amount)
    const transfers = asset === 'native' ? [] : [{ asset, from, to, amount, logIndex }]
    return { transfer, succeeded: true, moved: true, feePaid: 0n, transfers }
  }
  const native = state.get(balanceKey(from, 'native')) ?? 0n
  const left = asset === 'native' && authorization === undefined ? native - amount : native
  const feePaid = from === COURIER ? 0n : feeOf(fee, left, takesMore && nonce % 3n === 1n)
  if (from !== COURIER) {
    add(balanceKey(from, 'native'), -feePaid)
    state.set(nonceKey(from), nonce + 1n)
  }
  if (authorization !== undefined) {
    const { payer } = authorization
    const key = authorizationKey(authorization)
    const moved =
      !state.has(key) &&
      isInTime(authorization, timeMilliseconds) &&
      (state.get(balanceKey(payer, asset)) ?? 0n) >= amount
    if (moved) {
      state.set(key, 1n)
      add(balanceKey(payer, asset), -amount)
      add(balanceKey(to, asset), amount)
    }
    const transfers = moved ? [{ asset, from: payer, to, amount, logIndex }] : []
    return { transfer, succeeded: moved, moved, feePaid, transfers }
  }
  const isToken = asset !== 'native'
  const covered = (state.get(balanceKey(from, asset)) ?? 0n) >= amount
  const succeeded = covered && manner !== 'refuses'
  const moved = succeeded && !(isToken && manner === 'swallows')
  if (moved) {
    add(balanceKey(from, asset), -amount)
    add(balanceKey(to, asset), amount)
  }
  const transfers = moved && isToken ? [{ asset, from, to, amount, logIndex }] : []
  return { transfer, succeeded, moved, feePaid, transfers }
}

/** More than any hold, which is four times the first offer. */
const DEAR_TIMES = 6n

/** Most networks take less than was offered; a roll-up may take more for publishing the bytes, as far as there is any. */
function feeOf(offered: bigint, left: bigint, isDear: boolean): bigint {
  if (!isDear || left <= offered) return offered - offered / 5n
  const dear = offered * DEAR_TIMES
  return dear < left ? dear : left
}
