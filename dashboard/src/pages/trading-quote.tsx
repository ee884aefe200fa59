import { useAnswer } from '../api/use-answer.ts'
import { useAssets } from '../api/use-assets.ts'
import { priceText } from '../format/price-text.ts'
import { Amount } from '../parts/amount.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { Facts } from '../parts/facts.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import type { Token } from './trading.tsx'
import { nameOf } from './trading-tokens.tsx'

const REFETCH_SECONDS = 2

/** What the trade would give at this moment. */
export function TradingQuote({
  token,
  side,
  amount,
  slippage,
}: {
  token: Token
  side: 'buy' | 'sell'
  amount: string
  slippage: string
}) {
  const assets = useAssets()
  const { mint, network } = token
  const { data, error } = useAnswer(
    'GET /trade/quote',
    { query: { side, mint, network, amount, slippage } },
    { refetchSeconds: REFETCH_SECONDS },
  )
  const native = assets.symbol(network, 'native')
  const unit = side === 'buy' ? nameOf(token) : native
  if (error !== null) return <ErrorPanel error={error} />
  if (data === undefined) return <Skeleton className="h-32 w-full" />
  const out = data.estimatedTokensReceived ?? data.estimatedReceived ?? ''
  return (
    <div data-testid="quote" className="rounded-md border border-line bg-raised p-3">
      <Facts
        facts={[
          { name: 'You get about', value: <Amount text={priceText(out)} unit={unit} /> },
          {
            name: 'At least',
            value: <Amount text={priceText(data.minimumReceived)} unit={unit} />,
          },
          {
            name: 'Price',
            value: <Amount text={priceText(data.estimatedPrice)} unit={native} />,
          },
          {
            name: 'Price impact',
            value: data.priceImpact === null ? 'not known' : `${data.priceImpact}%`,
          },
          { name: 'Venue', value: data.venue },
        ]}
      />
    </div>
  )
}
