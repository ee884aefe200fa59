import { baseUnits } from '@florin/wire/amount.ts'
import type { Block, Outcome, TokenTransfer, TransactionHash } from '../chains/chain.ts'

/** What a model chain knows of a signed transaction of the one wallet it has. */
export interface ModelTransaction {
  readonly hash: TransactionHash
  readonly nonce: bigint
  readonly asset: string
  readonly amount: bigint
  readonly feeCeiling: bigint
  readonly transfer: Omit<TokenTransfer, 'logIndex'>
}

interface Deposit {
  readonly id: number
  readonly asset: string
  readonly amount: bigint
}

interface Included {
  readonly transaction: ModelTransaction
  readonly succeeded: boolean
  readonly feePaid: bigint
}

/** One block with what the wallet has after it. */
export interface ModelBlock {
  readonly height: bigint
  readonly hash: string
  readonly parent: ModelBlock | undefined
  readonly deposits: readonly Deposit[]
  readonly included: readonly Included[]
  readonly balances: ReadonlyMap<string, bigint>
  readonly nonce: bigint
}

/** How one more block is made. */
export interface Mining {
  readonly deposits: readonly { readonly asset: string; readonly amount: bigint }[]
  /** Pooled transactions taken at most. */
  readonly take: number
  /** Per cent of the fee ceiling that the network takes; above 100, more than was held, as the fee of a roll-up for its data may be. */
  readonly feePercent: number
  readonly reverts: boolean
}

/** A chain of one wallet in memory: blocks, a pool, forks. Knows nothing of books; what it says is the truth. */
export interface ModelChain {
  tip(): ModelBlock
  /** Every block that ever was, forks too, oldest first. */
  readonly everything: readonly ModelBlock[]
  pool(transaction: ModelTransaction): void
  /** The same, before what the pool has at this nonce. */
  replace(transaction: ModelTransaction): void
  mine(mining: Mining): void
  /**
   * Replaces the newest `depth` blocks, never those at or below `keep`. Deposits of the old ones come again or are lost;
   * transactions go back to the pool.
   */
  reorg(depth: number, keep: bigint, keepsDeposits: boolean): void
  blockAt(height: bigint): ModelBlock | undefined
  blocks(fromHeight: bigint, count: number, top: bigint): readonly Block[]
  outcome(hash: TransactionHash): Outcome
}

/** The blocks from one down to the first. */
export function ancestry(block: ModelBlock): readonly ModelBlock[] {
  const line: ModelBlock[] = []
  for (let at: ModelBlock | undefined = block; at !== undefined; at = at.parent) line.push(at)
  return line
}

/** Where a transaction is in the chain that ends with this block. */
export function inclusion(block: ModelBlock, hash: TransactionHash) {
  for (const { height, included } of ancestry(block)) {
    const found = included.find(({ transaction }) => transaction.hash === hash)
    if (found !== undefined) return { height, ...found }
  }
  return undefined
}

/** `currencyUnits`: of tokens that are the native currency, how much of it one base unit is; what moves of them moves of that. */
export function openModelChain(
  funds: readonly { asset: string; amount: bigint }[],
  currencyUnits: ReadonlyMap<string, bigint> = new Map(),
): ModelChain {
  /** What an amount is on the chain itself. */
  const own = (asset: string, amount: bigint): readonly [string, bigint] => {
    const units = currencyUnits.get(asset)
    return units === undefined ? [asset, amount] : ['native', amount * units]
  }
  const pooled: ModelTransaction[] = []
  const everything: ModelBlock[] = []
  let deposited = 0
  let tip = append(
    undefined,
    funds.map((fund) => ({ ...fund, id: (deposited += 1) })),
    [],
  )

  function append(
    parent: ModelBlock | undefined,
    deposits: readonly Deposit[],
    included: readonly Included[],
  ): ModelBlock {
    const balances = new Map(parent?.balances)
    const add = (named: string, units: bigint) => {
      const [asset, amount] = own(named, units)
      balances.set(asset, (balances.get(asset) ?? 0n) + amount)
    }
    for (const { asset, amount } of deposits) add(asset, amount)
    for (const { transaction, succeeded, feePaid } of included) {
      if (succeeded) add(transaction.asset, -transaction.amount)
      add('native', -feePaid)
    }
    for (const [asset, units] of currencyUnits) {
      balances.set(asset, (balances.get('native') ?? 0n) / units)
    }
    const height = parent === undefined ? 1n : parent.height + 1n
    const block = {
      height,
      hash: `block-${height}-${everything.length}`,
      parent,
      deposits,
      included,
      balances,
      nonce: (parent?.nonce ?? 0n) + BigInt(included.length),
    }
    everything.push(block)
    return block
  }

  function mineOn(deposits: readonly Deposit[], { take, feePercent, reverts }: Mining): void {
    const left = new Map(tip.balances)
    for (const deposit of deposits) {
      const [asset, amount] = own(deposit.asset, deposit.amount)
      left.set(asset, (left.get(asset) ?? 0n) + amount)
    }
    const spend = (asset: string, amount: bigint) =>
      left.set(asset, (left.get(asset) ?? 0n) - amount)
    const included: Included[] = []
    while (included.length < take) {
      const nonce = tip.nonce + BigInt(included.length)
      const transaction = pooled.find((candidate) => candidate.nonce === nonce)
      if (transaction === undefined) break
      const { feeCeiling } = transaction
      const [asset, amount] = own(transaction.asset, transaction.amount)
      const native = left.get('native') ?? 0n
      const feePaid = 1n + ((feeCeiling - 1n) * BigInt(feePercent)) / 100n
      const needed = feePaid > feeCeiling ? feePaid : feeCeiling
      if (native < needed + (asset === 'native' ? amount : 0n)) break
      const succeeded = !reverts && (left.get(asset) ?? 0n) >= amount
      if (succeeded) spend(asset, amount)
      spend('native', feePaid)
      included.push({ transaction, succeeded, feePaid })
    }
    tip = append(tip, deposits, included)
  }

  const blockAt = (height: bigint) => ancestry(tip).find((block) => block.height === height)
  return {
    tip: () => tip,
    everything,
    pool: (transaction) => void pooled.push(transaction),
    replace: (transaction) => void pooled.unshift(transaction),
    mine: (mining) =>
      mineOn(
        mining.deposits.map((deposit) => ({ ...deposit, id: (deposited += 1) })),
        mining,
      ),
    reorg: (depth, keep, keepsDeposits) => {
      const undone: ModelBlock[] = []
      while (undone.length < depth && tip.height > keep && tip.parent !== undefined) {
        undone.unshift(tip)
        tip = tip.parent
      }
      const empty = { take: 0, feePercent: 0, reverts: false, deposits: [] }
      for (const { deposits } of undone) mineOn(keepsDeposits ? deposits : [], empty)
    },
    blockAt,
    blocks: (fromHeight, count, top) => {
      const found: Block[] = []
      for (let height = fromHeight; found.length < count && height <= top; height += 1n) {
        const block = blockAt(height)
        if (block === undefined) break
        found.push({
          height,
          hash: block.hash,
          parentHash: block.parent?.hash ?? '',
          timeMilliseconds: 0,
          transactionHashes: block.included.map(({ transaction }) => transaction.hash),
        })
      }
      return found
    },
    outcome: (hash) => {
      for (const block of ancestry(tip)) {
        const found = block.included.find(({ transaction }) => transaction.hash === hash)
        if (found === undefined) continue
        const { transaction, succeeded, feePaid } = found
        const isToken = transaction.asset !== 'native'
        return {
          state: 'mined',
          height: block.height,
          blockHash: block.hash,
          succeeded,
          feePaid: baseUnits(feePaid),
          transfers: succeeded && isToken ? [{ ...transaction.transfer, logIndex: 0 }] : [],
        }
      }
      return { state: 'absent' }
    },
  }
}
