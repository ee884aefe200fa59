import { Link } from '@tanstack/react-router'
import { useAnswer } from '../api/use-answer.ts'
import type { Answer } from '../api/operation.ts'
import { useAssets } from '../api/use-assets.ts'
import { priceText } from '../format/price-text.ts'
import { Amount } from '../parts/amount.tsx'
import { Card } from '../parts/card.tsx'
import { Facts } from '../parts/facts.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { Short } from '../parts/short.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { nameOf } from './trading-tokens.tsx'

type Trade = Answer<'GET /trade/{tradeId}'>

/** What a payment was made for where it carries a trade, and the way to where one trades. */
export function PaymentTrade({ tradeId }: { tradeId: string }) {
  const read = useAnswer('GET /trade/{tradeId}', { params: { tradeId } })
  const { data, error } = read
  return (
    <Card title="Trade">
      <ReadFault of={read} />
      {data === undefined ? (
        error === null ? (
          <Skeleton className="h-48 w-full" />
        ) : null
      ) : (
        <TradeFacts trade={data} />
      )}
    </Card>
  )
}

function TradeFacts({ trade }: { trade: Trade }) {
  const assets = useAssets()
  const { tradeId, side, status, network, mint, publicKey, minimumReceived, effectivePrice } = trade
  const [native, token] = [assets.symbol(network, 'native'), nameOf(trade)]
  const [given, wanted] = side === 'buy' ? [native, token] : [token, native]
  const received = (side === 'buy' ? trade.tokensReceived : trade.received) ?? null
  const isOver = status === 'failed' || status === 'expired'
  return (
    <Facts
      facts={[
        {
          name: side === 'buy' ? 'Bought' : 'Sold',
          value: (
            <Link
              to="/trading"
              search={{ mint, network, wallet: publicKey }}
              className="font-medium text-brand-strong underline underline-offset-4"
            >
              {token}
            </Link>
          ),
        },
        { name: 'Trade id', value: <Short text={tradeId} what="trade id" /> },
        { name: 'Token', value: <Short text={mint} what="token address" /> },
        { name: 'Paid', value: <Amount text={trade.amount} unit={given} /> },
        {
          name: 'Received',
          value:
            received === null ? (
              <span className="text-soft">{isOver ? 'nothing' : 'not yet'}</span>
            ) : (
              <Amount text={received} unit={wanted} />
            ),
        },
        {
          name: 'At least',
          value: <Amount text={minimumReceived} unit={wanted} />,
        },
        ...(effectivePrice === null
          ? []
          : [
              {
                name: `Price of one ${token}`,
                value: <Amount text={priceText(effectivePrice)} unit={native} />,
              },
            ]),
        {
          name: 'Slippage',
          value:
            trade.slippageUsed === null
              ? `up to ${trade.slippage}%`
              : `${trade.slippageUsed}% of up to ${trade.slippage}%`,
        },
        { name: 'Market', value: trade.venue },
      ]}
    />
  )
}
