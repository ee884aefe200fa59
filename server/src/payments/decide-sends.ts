import type { Chain, Draft } from '../chains/chain.ts'
import type { Wallet } from '../custody/wallet.ts'
import type { PaymentId } from '../kernel/id.ts'
import { inBooks, isCurrencyToken, namedInBooks } from '../kernel/currency-tokens.ts'
import { limits } from '../kernel/limits.ts'
import { lockBalances, readBalances } from '../ledger/store.ts'
import type { PolicyRefusal } from '../policies/decide.ts'
import { openBudget } from '../policies/budget.ts'
import { followedChain } from '../sender/follower-store.ts'
import type { FollowedChain } from '../sender/follower-store.ts'
import type { TradeBook } from '../sender/trade-book.ts'
import type { Tx } from '../store/postgres.ts'
import type { PreparedSend } from './prepared-send.ts'
import type { Funds } from './funds.ts'
import { planFunds } from './funds.ts'
import { minedSpends } from './mined-spends-store.ts'

/** Money on chain that the books did not know. Base units. */
export interface Funding {
  readonly asset: string
  readonly amount: bigint
  /** The trade's payment that brought it in, where that is known. */
  readonly paymentId?: PaymentId
}

/** Why a send was not accepted; nothing of it was stored. `stale`: the draft's balances are of a block that is not, or not yet, in the chain that was followed. */
export type Refused =
  | { readonly kind: 'stale' }
  | { readonly kind: 'short'; readonly funds: Extract<Funds, { ok: false }> }
  | { readonly kind: 'policy'; readonly refusal: PolicyRefusal }

export interface Decided {
  readonly refused: ReadonlyMap<PaymentId, Refused>
  readonly funding: readonly Funding[]
  /** Of each asset the highest block whose look could tell of new money of it. */
  readonly lookedAt: ReadonlyMap<string, bigint>
}

export interface DecideDeps {
  readonly chain: Chain
  readonly wallet: Wallet
  readonly nowMilliseconds: number
  /** Whose proceeds may be in what is found; left out where nobody trades. */
  readonly trades?: Pick<TradeBook, 'holdUnbooked'> | undefined
}

/**
 * Decides sends of one locked lane in their order: the wallet's policy, then its money. What is not refused
 * has its budget reserved and must be stored in this same transaction.
 */
export async function decideSends(
  tx: Tx,
  { chain, wallet, nowMilliseconds, trades }: DecideDeps,
  sends: readonly PreparedSend[],
): Promise<Decided> {
  const { network } = chain.config
  const moved = sends.map(({ asset }) => asset.asset)
  const bookOf = ({ asset }: PreparedSend) => inBooks(asset, 0n).asset
  const assets = [...new Set(['native', ...sends.map(bookOf)])]
  const budget = await openBudget(tx, { wallet, network, assets: moved, nowMilliseconds })
  const place = { accountId: wallet.accountId, walletId: wallet.id, network }
  const locked = await lockBalances(tx, { ...place, assets })
  const balances = await withOldHolds(tx, { chain, wallet }, locked)
  const heights = sends.map(({ draft }) => draft.balances.height)
  const oldest = heights.reduce((lowest, height) => (height < lowest ? height : lowest))
  // What is mined and what is followed must be of one moment: the follower may commit between two statements.
  const followed = await followedChain(tx, network, heights)
  const spends = await minedSpends(tx, wallet, network, oldest)
  const mined = spends.map((spend) => ({
    ...spend,
    ...namedInBooks(chain.config, spend.asset, spend.amount),
  }))
  const after = await followedChain(tx, network, [])
  if (after.tip !== followed.tip) {
    return allStale(sends)
  }
  const plan = planFunds({ balances, mined })

  const refused = new Map<PaymentId, Refused>()
  const lookedAt = new Map<string, bigint>()
  for (const send of sends) {
    const standing = standingOf(send.draft, followed)
    if (standing === 'forked') {
      refused.set(send.paymentId, { kind: 'stale' })
      continue
    }
    const spend = { ...send, asset: send.asset.asset }
    const refusal = budget.check(spend)
    if (refusal !== undefined) {
      refused.set(send.paymentId, { kind: 'policy', refusal })
      continue
    }
    const { height } = send.draft.balances
    const funds = plan.take(send, standing === 'followed')
    // Whoever is short of what moves is not asked for the rest.
    const looked = !funds.ok && funds.asset === 'moved' ? [bookOf(send)] : ['native', bookOf(send)]
    for (const asset of standing === 'followed' ? looked : []) {
      if (height > (lookedAt.get(asset) ?? -1n)) lookedAt.set(asset, height)
    }
    if (funds.ok) budget.take(spend)
    else
      refused.set(
        send.paymentId,
        standing === 'ahead' || isOld(send.draft, followed, chain)
          ? { kind: 'stale' }
          : { kind: 'short', funds },
      )
  }
  if (trades !== undefined && plan.discovered.size > 0) {
    // From here on no name is taken from what was found; a reorganisation that took one before is seen now.
    await trades.holdUnbooked(tx, { network, address: wallet.address })
    const looks = [...new Set(lookedAt.values())]
    const { hashes } = await followedChain(tx, network, looks)
    if (looks.some((height) => hashes.get(height) !== followed.hashes.get(height))) {
      return allStale(sends)
    }
  }
  await budget.reserve(tx)
  return {
    refused,
    funding: [...plan.discovered].map(([asset, amount]) => ({ asset, amount })),
    lookedAt,
  }
}

/**
 * With what payments hold that began while a token that is the native currency had books of its own: the one balance on chain pays those, too. Read before what is
 * mined, so that one which ends meanwhile counts twice against the wallet and never for it; nothing new is held there. No query where no token is the currency.
 */
async function withOldHolds(
  tx: Tx,
  { chain: { config }, wallet }: Pick<DecideDeps, 'chain' | 'wallet'>,
  locked: Awaited<ReturnType<typeof lockBalances>>,
): Promise<typeof locked> {
  const native = locked.get('native')
  if (native === undefined || !config.assets.some(({ isCurrency }) => isCurrency === true)) {
    return locked
  }
  const books = await readBalances(tx, { accountId: wallet.accountId, walletId: wallet.id })
  const apart = books
    .filter(({ network, asset }) => network === config.network && isCurrencyToken(config, asset))
    .reduce((sum, { asset, held }) => sum + namedInBooks(config, asset, held).amount, 0n)
  return new Map([...locked, ['native', { ...native, held: native.held + apart }]])
}

/**
 * Where the block stands that the draft's balances are of: in the chain that our follower has read, in blocks that it has not read yet, or
 * in a fork that it has seen replaced. Only the first tells of new money; the second may yet become it.
 */
function standingOf(
  { balances: { height, blockHash } }: Draft,
  followed: FollowedChain,
): 'followed' | 'ahead' | 'forked' {
  if (blockHash === null) return 'forked'
  const known = followed.hashes.get(height)
  if (known === undefined) return height > followed.height ? 'ahead' : 'forked'
  return known === blockHash ? 'followed' : 'forked'
}

/** A node that lags shows what a wallet had before money came: that is the node's fault and not the payer's. */
function isOld(
  { balances: { height } }: Draft,
  followed: FollowedChain,
  { config: { blockTimeMilliseconds } }: Chain,
): boolean {
  const blocks = Math.ceil((limits.shortageBehindSecondsMax * 1000) / blockTimeMilliseconds)
  return followed.height - height > BigInt(blocks)
}

function allStale(sends: readonly PreparedSend[]): Decided {
  const refused = new Map(sends.map(({ paymentId }) => [paymentId, { kind: 'stale' as const }]))
  return { refused, funding: [], lookedAt: new Map() }
}
