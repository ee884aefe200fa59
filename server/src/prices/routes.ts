import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { Address, Chain } from '../chains/chain.ts'
import type { ChainDirectory } from '../chains/directory.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import { invalidMint, resolveMint } from '../markets/resolve-mint.ts'
import { candlesOf } from './candles.ts'
import type { CandleDeps } from './candles.ts'

const COUNT_DEFAULT = 500

/** GET /token/candles/{mint}. */
export function candleRoutes(
  deps: CandleDeps & {
    readonly directory: ChainDirectory
    /** Whether the chain has a token there. @throws {NodeFailure} */
    isToken(chain: Chain, mint: Address): Promise<boolean>
  },
): readonly Route[] {
  return [
    route(endpoints.tokenCandles, async ({ params, query }) => {
      const { chain, mint } = resolveMint(deps.directory, { ...params, ...query })
      const { interval = '1m', from, to, limit = COUNT_DEFAULT } = query
      if (from !== undefined && to !== undefined && from > to) {
        throw new Refusal('INVALID_PARAMETERS', { details: { from: 'must not be after to' } })
      }
      const order = { interval, fromMilliseconds: from, toMilliseconds: to, count: limit }
      const candles = await candlesOf(deps, chain, mint, order)
      if (candles === undefined && !(await deps.isToken(chain, mint))) {
        throw invalidMint('is no token of this network')
      }
      const { network } = chain.config
      return { body: { mint, network, interval, candles: [...(candles ?? [])] } }
    }),
  ]
}
