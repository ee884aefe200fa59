import { formatAmount } from '@florin/wire/amount.ts'
import { RawJson } from '@florin/wire/raw-json.ts'
import type { Chain } from '../chains/chain.ts'
import type { Clock } from '../kernel/clock.ts'
import type { AccountId } from '../kernel/id.ts'
import type { Store } from '../store/postgres.ts'
import { reservedGas } from './gas-store.ts'
import type { SettlerFunds } from './settler-funds.ts'
import type { Settlers } from './settlers.ts'
import { accountSubject } from './sponsoring.ts'

export interface SponsoringDeps {
  readonly store: Store
  readonly clock: Clock
  readonly chains: readonly Chain[]
  readonly settlers: Pick<Settlers, 'of'>
  readonly funds: Pick<SettlerFunds, 'isLow' | 'seen'>
}

/** What settlements of an account took of the budget of today, and what the addresses have that pay for them. Asks no node. */
export async function showSponsoring(
  { store, clock, chains, settlers, funds }: SponsoringDeps,
  accountId: AccountId,
) {
  const now = clock.nowMilliseconds()
  // Of all accounts, and read by its own subject: the table knows no account.
  const reserved = await store.inTransaction('service', (tx) =>
    reservedGas(tx, accountSubject(accountId), now),
  )
  const networks = chains.flatMap(({ exact, config }) => {
    const { network, family, assets, sponsoring } = config
    const native = assets.find(({ asset }) => asset === 'native')
    if (exact === undefined || sponsoring === undefined || native === undefined) return []
    const whole = (amount: bigint) => new RawJson(formatAmount(amount, native.decimals))
    const taken = reserved.get(network) ?? 0n
    return [
      {
        network,
        symbol: native.symbol,
        perDay: whole(sponsoring.gasPerAccountPerDay),
        perDayBaseUnits: `${sponsoring.gasPerAccountPerDay}`,
        reserved: whole(taken),
        reservedBaseUnits: `${taken}`,
        perPayerPerDayBaseUnits: `${sponsoring.gasPerPayerPerDay}`,
        feePayers: settlers.of(family).map(({ address }) => {
          const seen = funds.seen(network, address)
          return {
            address,
            balance: seen === undefined ? null : whole(seen.amount),
            balanceBaseUnits: seen === undefined ? null : `${seen.amount}`,
            isLow: funds.isLow(network, address),
            seenAt: seen?.atMilliseconds ?? null,
          }
        }),
      },
    ]
  })
  return { day: new Date(now).toISOString().slice(0, 'yyyy-mm-dd'.length), networks }
}
