import { useAnswer } from '../api/use-answer.ts'
import { stepTime } from '../format/time-text.ts'
import { Amount } from '../parts/amount.tsx'
import { NarrowName } from '../parts/narrow-name.tsx'
import { Skeleton } from '../parts/skeleton.tsx'

/** What a wallet may spend, of each asset that it has any of. */
export function WalletFunds({ address }: { address: string }) {
  const { data, error, dataUpdatedAt } = useAnswer('GET /wallets/{address}', {
    params: { address },
  })
  if (data === undefined) {
    if (error !== null) return <span className="text-soft">cannot be read now</span>
    return <Skeleton className="h-4 w-28 sm:ml-auto" />
  }
  const held = data.balances.filter(({ amountBaseUnits }) => amountBaseUnits !== '0')
  const unread = data.unread ?? []
  if (held.length + unread.length === 0) {
    return (
      <span className="text-soft">
        nothing<NarrowName> to spend</NarrowName>
      </span>
    )
  }
  return (
    <span className="inline-flex flex-wrap gap-x-4 sm:flex-col sm:items-end">
      {held.map(({ network, asset, symbol, available }) => (
        <Amount key={`${network} ${asset}`} text={available} unit={symbol} />
      ))}
      {unread.map(({ network, asset, symbol }) => (
        <span key={`${network} ${asset}`} className="text-soft">
          {symbol} cannot be read now
        </span>
      ))}
      {error === null ? null : (
        <span className="text-soft">read at {stepTime(dataUpdatedAt, Date.now())}</span>
      )}
    </span>
  )
}
