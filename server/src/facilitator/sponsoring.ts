import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { ExactAuthorization, SettlementDraft } from '../chains/exact.ts'
import type { AccountId } from '../kernel/id.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import type { Tx } from '../store/postgres.ts'
import { reserveGas, reserveGasOfMany } from './gas-store.ts'

/** Under which name the budget of an account is kept. */
export function accountSubject(accountId: AccountId): string {
  return `account:${accountId}`
}

/** Under which name the budget of a payer is kept. */
export function payerSubject(payer: string): string {
  return `payer:${payer}`
}

/** Whether a payment is worth the gas that settling it takes; true where nobody said what its asset is worth. */
export function isWorthItsGas(
  { assets, sponsoring }: Pick<NetworkConfig, 'assets' | 'sponsoring'>,
  { asset, amount }: Pick<ExactAuthorization, 'asset' | 'amount'>,
  feeExpected: bigint,
): boolean {
  const { unitsPerNative } = asset
  const decimals = assets.find((known) => known.asset === 'native')?.decimals
  if (sponsoring === undefined) return false
  if (unitsPerNative === undefined || decimals === undefined) return true
  // amount / unitsPerNative >= percent / 100 * fee / 10^decimals, without a division.
  const worth = amount * 10n ** BigInt(decimals) * 100n
  return worth >= sponsoring.paymentToGasPercent * feeExpected * unitsPerNative
}

/**
 * Reserves what a settlement is expected to take from the budgets of the account and of the payer, if there is one, inside the claim's transaction. The
 * refusal rolls that back with everything else.
 */
export async function reserveSponsoring(
  tx: Tx,
  { network, sponsoring }: Pick<NetworkConfig, 'network' | 'sponsoring'>,
  { accountId, payer }: { accountId: AccountId; payer: string | null },
  { feeExpected }: Pick<SettlementDraft, 'feeExpected'>,
  nowMilliseconds: number,
): Promise<Extract<Reason, 'gas_budget_spent'> | undefined> {
  if (sponsoring === undefined) return 'gas_budget_spent'
  const { gasPerAccountPerDay, gasPerPayerPerDay } = sponsoring
  // Always in this order, so that two settlements never wait for each other crosswise.
  const budgets = [
    { subject: accountSubject(accountId), limit: gasPerAccountPerDay },
    ...(payer === null ? [] : [{ subject: payerSubject(payer), limit: gasPerPayerPerDay }]),
  ]
  for (const { subject, limit } of budgets) {
    const budget = { network, subject, amount: feeExpected, limit }
    if (!(await reserveGas(tx, budget, nowMilliseconds))) return 'gas_budget_spent'
  }
  return undefined
}

/**
 * The same for several settlements together. Gives the places of those whose budget does not hold all that ask for it: when there are any,
 * the transaction is to be rolled back.
 */
export async function reserveSponsoringOfMany(
  tx: Tx,
  { network, sponsoring }: Pick<NetworkConfig, 'network' | 'sponsoring'>,
  settlements: readonly {
    readonly accountId: AccountId
    readonly payer: string
    readonly draft: Pick<SettlementDraft, 'feeExpected'>
  }[],
  nowMilliseconds: number,
): Promise<ReadonlySet<number>> {
  if (sponsoring === undefined) return new Set(settlements.keys())
  const { gasPerAccountPerDay, gasPerPayerPerDay } = sponsoring
  const subjects = new Map<string, { amount: bigint; limit: bigint }>()
  for (const { accountId, payer, draft } of settlements) {
    for (const [subject, limit] of [
      [accountSubject(accountId), gasPerAccountPerDay],
      [payerSubject(payer), gasPerPayerPerDay],
    ] as const) {
      const amount = (subjects.get(subject)?.amount ?? 0n) + draft.feeExpected
      subjects.set(subject, { amount, limit })
    }
  }
  const over = await reserveGasOfMany(tx, network, subjects, nowMilliseconds)
  const isOver = ({ accountId, payer }: (typeof settlements)[number]) =>
    over.has(accountSubject(accountId)) || over.has(payerSubject(payer))
  return new Set(settlements.flatMap((settlement, index) => (isOver(settlement) ? [index] : [])))
}
