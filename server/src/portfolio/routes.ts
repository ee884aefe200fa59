import { endpoints } from '@florin/wire/endpoints.ts'
import type { ChainDirectory } from '../chains/directory.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import { portfolioOf } from './portfolio.ts'
import type { PortfolioDeps } from './portfolio.ts'

/** GET /portfolio/{publicKey}. */
export function portfolioRoutes(
  deps: PortfolioDeps & { readonly directory: ChainDirectory },
): readonly Route[] {
  return [
    route(endpoints.portfolio, async ({ params: { publicKey }, query: { network } }) => {
      const found = deps.directory.resolve({ network, address: publicKey, field: 'publicKey' })
      return { body: await portfolioOf(deps, found.chain, found.address) }
    }),
  ]
}
