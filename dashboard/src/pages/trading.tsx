import type { Answer } from '../api/operation.ts'
import { useAnswer } from '../api/use-answer.ts'
import { useAssets } from '../api/use-assets.ts'
import { useFilters } from '../app/use-filters.ts'
import { Empty } from '../parts/empty.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { TradingChart } from './trading-chart.tsx'
import { TradingHistory } from './trading-history.tsx'
import { TradingHoldings } from './trading-holdings.tsx'
import { TradingLive } from './trading-live.tsx'
import { TradingOrder } from './trading-order.tsx'
import { TokenTable } from './trading-tokens.tsx'

export type Token = Answer<'GET /tokens'>['tokens'][number]
export type Wallet = Answer<'GET /wallets'>['wallets'][number]

const REFETCH_SECONDS = 10

/** What tokens cost, what a wallet holds, and buying and selling from it. */
export function Page() {
  const filters = useFilters()
  const assets = useAssets()
  const tokens = useAnswer('GET /tokens', {}, { refetchSeconds: REFETCH_SECONDS })
  const wallets = useAnswer('GET /wallets')
  const error = tokens.error ?? wallets.error
  const listed = tokens.data?.tokens
  const chosen =
    listed?.find(
      ({ mint, network }) => mint === filters.get('mint') && network === filters.get('network'),
    ) ?? listed?.[0]
  const family = chosen === undefined ? undefined : assets.network(chosen.network)?.family
  const own = wallets.data?.wallets.filter((each) => each.family === family) ?? []
  const wallet = own.find(({ address }) => address === filters.get('wallet')) ?? own[0]
  return (
    <>
      <PageHeader title="Trading">
        Tokens that the networks’ markets trade against native currency. Prices are the markets’
        own.
      </PageHeader>
      <ReadFault of={tokens.error === null ? wallets : tokens} />
      {listed === undefined || wallets.data === undefined ? (
        error === null ? (
          <Skeleton className="h-96 w-full" />
        ) : null
      ) : chosen === undefined ? (
        <Empty title="No market was seen yet">
          Tokens appear here as soon as a market of an enabled network shows them.
        </Empty>
      ) : (
        <div className="space-y-4">
          <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
            <div className="min-w-0 space-y-4">
              <TokenTable
                tokens={listed}
                chosen={chosen}
                onChoose={({ mint, network }) => filters.set({ mint, network })}
              />
              <TradingChart key={`${chosen.network} ${chosen.mint}`} token={chosen} />
            </div>
            <TradingOrder
              key={`${chosen.network} ${chosen.mint}`}
              token={chosen}
              wallets={own}
              wallet={wallet}
              onWallet={(address) => filters.set({ wallet: address })}
            />
          </div>
          <div className="grid items-start gap-4 xl:grid-cols-2">
            {wallet === undefined ? null : (
              <TradingHoldings wallet={wallet} network={chosen.network} />
            )}
            <TradingLive key={`${chosen.network} ${chosen.mint}`} token={chosen} />
          </div>
          {wallet === undefined ? null : <TradingHistory wallet={wallet} />}
        </div>
      )}
    </>
  )
}
