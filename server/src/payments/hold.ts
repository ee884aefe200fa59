import type { Wallet } from '../custody/wallet.ts'
import { namedInBooks } from '../kernel/currency-tokens.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import { funding, hold } from '../ledger/entry.ts'
import type { LedgerTransfer } from '../ledger/entry.ts'
import { record } from '../ledger/store.ts'
import type { Tx } from '../store/postgres.ts'
import type { Funding } from './decide-sends.ts'
import type { Payment } from './payment.ts'

/**
 * Books what arrived on chain and then promises each payment its money: a native payment holds amount and fee ceiling
 * together, a token payment holds the tokens and, in native currency, the fee ceiling. One of a token that is the native currency holds both there.
 */
export async function bookHolds(
  tx: Tx,
  {
    wallet,
    config,
    nowMilliseconds,
  }: {
    wallet: Wallet
    config: Pick<NetworkConfig, 'network' | 'assets'>
    nowMilliseconds: number
  },
  funds: readonly Funding[],
  payments: readonly Payment[],
): Promise<void> {
  const { network } = config
  const place = { accountId: wallet.accountId, walletId: wallet.id, network }
  const transfers: LedgerTransfer[] = funds.map(({ asset, amount, paymentId }) =>
    funding({ ...place, asset }, amount, paymentId),
  )
  for (const { id, feeCeiling, ...moved } of payments) {
    const ceiling = feeCeiling ?? 0n
    const { asset, amount } = namedInBooks(config, moved.asset, moved.amount)
    const native = asset === 'native'
    if (!native) transfers.push(hold({ ...place, asset, paymentId: id, amount }))
    const inNative = native ? amount + ceiling : ceiling
    if (inNative > 0n)
      transfers.push(hold({ ...place, asset: 'native', paymentId: id, amount: inNative }))
  }
  await record(tx, transfers, nowMilliseconds)
}
