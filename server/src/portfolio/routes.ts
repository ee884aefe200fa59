import { endpoints } from '@florin/wire/endpoints.ts'
import type { Address, Chain } from '../chains/chain.ts'
import type { ChainDirectory } from '../chains/directory.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import type { AccountId } from '../kernel/id.ts'
import { portfolioOf } from './portfolio.ts'
import type { PortfolioDeps } from './portfolio.ts'

/** GET /portfolio/{publicKey}. */
export function portfolioRoutes(
  deps: PortfolioDeps & {
    readonly directory: ChainDirectory
    /** What the caller's account has traded from a wallet, markets or not. */
    tradedFrom(accountId: AccountId, chain: Chain, address: Address): Promise<readonly Address[]>
  },
): readonly Route[] {
  return [
    route(endpoints.portfolio, async ({ params: { publicKey }, query: { network }, caller }) => {
      const { chain, address } = deps.directory.resolve({
        ...{ network, address: publicKey, field: 'publicKey' },
      })
      const more = await deps.tradedFrom(caller.accountId, chain, address)
      return { body: await portfolioOf(deps, chain, address, more) }
    }),
  ]
}
