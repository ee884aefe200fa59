import { useAssets } from '../api/use-assets.ts'
import { priceText } from '../format/price-text.ts'
import { shortText } from '../format/short-text.ts'
import { Amount } from '../parts/amount.tsx'
import { NarrowName } from '../parts/narrow-name.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'
import { NetworkName } from './network-name.tsx'
import type { Token } from './trading.tsx'

/** The tokens with their prices; one of them is chosen. */
export function TokenTable({
  tokens,
  chosen,
  onChoose,
}: {
  tokens: readonly Token[]
  chosen: Token
  onChoose: (token: Token) => void
}) {
  const assets = useAssets()
  const native = (network: string) => assets.symbol(network, 'native')
  const columns: readonly Column<Token>[] = [
    {
      header: 'Token',
      narrow: 1,
      cell: (token) => (
        <span className="block">
          <button
            type="button"
            aria-pressed={token === chosen}
            onClick={() => onChoose(token)}
            className="-mx-2 min-h-8 rounded px-2 font-medium text-brand hover:underline aria-pressed:bg-brand-ground aria-pressed:text-brand-strong"
          >
            {nameOf(token)}
          </button>
          <span className="block text-soft">
            <NetworkName id={token.network} />
          </span>
        </span>
      ),
    },
    {
      header: 'Price',
      align: 'right',
      narrow: 2,
      cell: ({ price, network }) =>
        price === null ? <Unknown /> : <Amount text={priceText(price)} unit={native(network)} />,
    },
    {
      header: '24 h',
      align: 'right',
      narrow: 4,
      cell: ({ priceChange24h }) => (
        <>
          <NarrowName>24 h </NarrowName>
          {priceChange24h === null ? <Unknown /> : <Change percent={priceChange24h} />}
        </>
      ),
    },
    {
      header: 'Volume 24 h',
      align: 'right',
      narrow: 3,
      cell: ({ volume24h, network }) => (
        <>
          <NarrowName>volume </NarrowName>
          {volume24h === null ? (
            <Unknown />
          ) : (
            <Amount text={priceText(volume24h)} unit={native(network)} />
          )}
        </>
      ),
    },
  ]
  return (
    <Table
      caption="Tokens"
      columns={columns}
      rows={tokens}
      rowKey={({ network, mint }) => `${network} ${mint}`}
    />
  )
}

/** What people call a token; its address where it does not say. */
export function nameOf({ symbol, mint }: Pick<Token, 'symbol' | 'mint'>): string {
  return symbol ?? shortText(mint)
}

function Unknown() {
  return <span className="whitespace-nowrap text-soft">not known</span>
}

/** Up or down, in words of colour and sign. */
export function Change({ percent }: { percent: string }) {
  const isDown = percent.startsWith('-')
  const isFlat = /^-?0(\.0*)?$/.test(percent)
  return (
    <span className={`tabular-nums ${isFlat ? 'text-soft' : isDown ? 'text-bad' : 'text-good'}`}>
      {isFlat || isDown ? '' : '+'}
      {percent.replace(/(\.\d\d)\d+$/, '$1')}%
    </span>
  )
}
