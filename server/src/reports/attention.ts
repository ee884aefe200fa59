import type { Static } from 'typebox'
import { formatAmount } from '@florin/wire/amount.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type { Attention } from '@florin/wire/overview.ts'
import { RawJson } from '@florin/wire/raw-json.ts'
import type { ChainDirectory } from '../chains/directory.ts'
import { listWallets } from '../custody/store.ts'
import type { Wallet } from '../custody/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import { lowNativeBooks } from '../ledger/native-store.ts'
import type { NativeBook } from '../ledger/native-store.ts'
import type { CurrentFees } from '../networks/current-fees.ts'
import { overduePayments } from '../payments/overview-store.ts'
import type { PolicyRules } from '../policies/rules.ts'
import { spentIn } from '../policies/spends-store.ts'
import { policiesOfWallets } from '../policies/wallets-store.ts'
import { followedNetworks } from '../sender/follower-store.ts'
import type { Store, Tx } from '../store/postgres.ts'
import { listWebhooks } from '../webhooks/store.ts'

export type Attention = Static<typeof Attention>

export interface AttentionDeps {
  readonly store: Store
  readonly clock: Clock
  readonly directory: ChainDirectory
  readonly networks: readonly NetworkConfig[]
  readonly fees: CurrentFees
  /** Whether a node and the database have lately answered a whole round of following. */
  isFollowed(network: NetworkId): boolean
}

/** A wallet that cannot pay for so many more transfers is low. */
const TRANSFERS_LEFT_MIN = 10n
/** A budget of which less than one in so many parts is left is low. */
const BUDGET_PARTS = 10n
const OVERDUE_MILLISECONDS = 60_000
const WINDOWS = ['perHour', 'perDay', 'perMonth'] as const

/** What a member of an account should look at, the most urgent kind first. */
export async function attentionOf(
  deps: AttentionDeps,
  accountId: AccountId,
): Promise<readonly Attention[]> {
  const now = deps.clock.nowMilliseconds()
  const bounds = await feeBounds(deps)
  const [failing, { overdue, webhooks, wallets, low, budgets }] = await Promise.all([
    failingNetworks(deps),
    deps.store.inTransaction(accountId, async (tx) => {
      const wallets = await listWallets(tx, accountId)
      const ids = wallets.map(({ id }) => id)
      const max = limits.attentionWalletsMax
      return {
        overdue: await overduePayments(
          tx,
          accountId,
          now - OVERDUE_MILLISECONDS,
          limits.overduePaymentsMax,
        ),
        webhooks: await listWebhooks(tx, accountId),
        wallets: new Map(wallets.map((wallet) => [wallet.id, wallet])),
        low: await lowNativeBooks(tx, accountId, ids, bounds, max),
        budgets: await lowBudgets(tx, wallets, now),
      }
    }),
  ])
  return [
    ...failing,
    ...(overdue === undefined
      ? []
      : [
          {
            kind: 'payments_pending' as const,
            count: overdue.count,
            paymentId: overdue.oldest,
            since: overdue.sinceMilliseconds,
          },
        ]),
    ...webhooks.flatMap(({ id, url, pausedAtMilliseconds: since, pauseReason: reason }) =>
      since === null || reason === null
        ? []
        : [{ kind: 'webhook_paused' as const, webhookId: id, url, since, reason }],
    ),
    ...(await emptyWallets(deps, low, wallets, bounds)),
    ...budgets,
  ]
}

async function failingNetworks({
  store,
  networks,
  isFollowed,
}: AttentionDeps): Promise<readonly Attention[]> {
  const followed = await store.inTransaction('service', followedNetworks)
  return networks.flatMap(({ network }): readonly Attention[] => {
    const at = followed.get(network)
    if (at?.isHalted) return [{ kind: 'network_failing', network, reason: 'halted' }]
    return at !== undefined && isFollowed(network)
      ? []
      : [{ kind: 'network_failing', network, reason: 'not_followed' }]
  })
}

/** By network, less than what native currency a wallet is low; networks whose fees are not known say nothing. */
async function feeBounds({
  networks,
  fees,
}: AttentionDeps): Promise<ReadonlyMap<NetworkId, bigint>> {
  const known = await Promise.all(
    networks.map(async ({ network }) => [network, await fees.of(network)] as const),
  )
  return new Map(
    known.flatMap(([network, fee]) =>
      fee === null ? [] : [[network, fee.transfer * TRANSFERS_LEFT_MIN]],
    ),
  )
}

/** The books do not know what arrived since: the chain has the last word, and one that does not answer says nothing. */
async function emptyWallets(
  { directory }: AttentionDeps,
  low: readonly NativeBook[],
  wallets: ReadonlyMap<string, Wallet>,
  bounds: ReadonlyMap<NetworkId, bigint>,
): Promise<readonly Attention[]> {
  const looked = await Promise.all(
    low.map(async ({ walletId, network }): Promise<readonly Attention[]> => {
      const [chain, wallet] = [directory.all.get(network), wallets.get(walletId)]
      const native = chain?.config.assets.find(({ asset }) => asset === 'native')
      const address = wallet && chain?.parseAddress(wallet.address)
      if (chain === undefined || native === undefined || address === undefined) return []
      const shown = await chain.balances(address, [native]).catch(() => undefined)
      const amount = shown?.amounts[0]
      if (amount === undefined || amount >= (bounds.get(network) ?? 0n)) return []
      return [
        {
          kind: 'wallet_low',
          address,
          network,
          asset: 'native',
          available: new RawJson(formatAmount(amount, native.decimals)),
          availableBaseUnits: amount.toString(),
        },
      ]
    }),
  )
  return looked.flat()
}

async function lowBudgets(
  tx: Tx,
  wallets: readonly Wallet[],
  nowMilliseconds: number,
): Promise<readonly Attention[]> {
  const [first] = wallets
  if (first === undefined) return []
  const ids = wallets.map(({ id }) => id)
  const policies = await policiesOfWallets(tx, first.accountId, ids, limits.attentionWalletsMax)
  const found: Attention[] = []
  for (const { walletId, rules } of policies) {
    const wallet = wallets.find(({ id }) => id === walletId)
    if (wallet !== undefined) found.push(...(await lowRules(tx, wallet, rules, nowMilliseconds)))
  }
  return found
}

async function lowRules(
  tx: Tx,
  wallet: Wallet,
  { limits: bounds }: PolicyRules,
  nowMilliseconds: number,
): Promise<readonly Attention[]> {
  const found: Attention[] = []
  for (const network of new Set(bounds.map((bound) => bound.network))) {
    const own = bounds.filter((bound) => bound.network === network)
    const spent = await spentIn(tx, {
      ...{ wallet, network, limits: own, nowMilliseconds },
      hasSums: true,
    })
    for (const { asset, decimals, ...allowed } of own) {
      for (const rule of WINDOWS) {
        const limit = allowed[rule]
        if (limit === undefined) continue
        const left = limit - (spent.get(asset)?.[rule] ?? 0n)
        if (limit === 0n || left * BUDGET_PARTS >= limit) continue
        const exact = (units: bigint) => new RawJson(formatAmount(units, decimals))
        found.push({
          kind: 'budget_low',
          address: wallet.address,
          network,
          asset,
          rule,
          allowed: exact(limit),
          left: exact(left > 0n ? left : 0n),
        })
      }
    }
  }
  return found
}
