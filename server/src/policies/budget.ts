import type { NetworkId } from '@florin/wire/network.ts'
import type { AccountId, PaymentId, WalletId } from '../kernel/id.ts'
import { limits as bounds } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'
import { NOTHING_SPENT, decide } from './decide.ts'
import type { PolicyRefusal, Spent, SpendRequest } from './decide.ts'
import { reserve, spentIn } from './spends-store.ts'
import { lockPolicy } from './store.ts'
import { sumSpends } from './sums-store.ts'

/** A payment of the wallet that asks for its budget. */
export interface Spend extends Omit<SpendRequest, 'network'> {
  readonly paymentId: PaymentId
}

/** What a wallet may still spend of some assets on one network, inside one signing transaction. */
export interface Budget {
  /** Whether the policy allows one more payment after everything taken so far; undefined is yes. */
  check(spend: Spend): PolicyRefusal | undefined
  /** Counts a payment that will be stored in this transaction. */
  take(spend: Spend): void
  /** Writes what was taken, policy or not: a policy that is set later counts what went before it. */
  reserve(tx: Tx): Promise<void>
}

/**
 * Reads and locks a wallet's policy after its lane, so that payments at the same time cannot pass one budget
 * together. Two statements when an asset is limited over time, else one, however many payments follow, and a few more once in a thousand
 * payments. Of the wallet's spends no more is read than those limits count, most of them as sums: everybody else who signs for the wallet waits
 * meanwhile.
 */
export async function openBudget(
  tx: Tx,
  {
    wallet,
    network,
    assets,
    nowMilliseconds,
  }: {
    wallet: { readonly id: WalletId; readonly accountId: AccountId }
    network: NetworkId
    /** All that will be asked for. */
    assets: readonly string[]
    nowMilliseconds: number
  },
): Promise<Budget> {
  const policy = await lockPolicy(tx, { accountId: wallet.accountId, walletId: wallet.id })
  const rules = policy?.rules
  const limits = (rules?.limits ?? []).filter(
    (limit) => limit.network === network && assets.includes(limit.asset),
  )
  const hasSums = policy?.hasSums === true
  const counted = await spentIn(tx, { wallet, network, limits, hasSums, nowMilliseconds })
  // Whoever had to read many spends sums them up for those who come next: the lock is held, so nobody else does.
  for (const [asset, { unsummed, stale, notes }] of counted) {
    if (Math.max(unsummed, notes) < bounds.spendsUnsummedMax && stale === 0) continue
    await sumSpends(tx, { wallet, network, asset, nowMilliseconds })
  }
  const spent = new Map<string, Spent>(counted)
  const taken: Spend[] = []
  return {
    check: (spend) => {
      if (!assets.includes(spend.asset)) throw new Error('what was spent of an asset was not read')
      return rules && decide(rules, spent.get(spend.asset) ?? NOTHING_SPENT, { ...spend, network })
    },
    take: (spend) => {
      taken.push(spend)
      spent.set(spend.asset, plus(spent.get(spend.asset) ?? NOTHING_SPENT, spend.amount))
    },
    reserve: (inTx) =>
      reserve(
        inTx,
        taken.map(({ paymentId, asset, amount }) => ({
          paymentId,
          accountId: wallet.accountId,
          walletId: wallet.id,
          network,
          asset,
          amount,
        })),
        nowMilliseconds,
      ),
  }
}

function plus(spent: Spent, amount: bigint): Spent {
  return {
    perHour: spent.perHour + amount,
    perDay: spent.perDay + amount,
    perMonth: spent.perMonth + amount,
  }
}
