import { endpoints } from '@florin/wire/endpoints.ts'
import type { ChainDirectory } from '../chains/directory.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import { keepRead } from '../kernel/keep-read.ts'
import { limits } from '../kernel/limits.ts'
import { tokenInfo } from './info.ts'
import type { TokenDeps } from './info.ts'
import { resolveMint } from '../markets/resolve-mint.ts'
import { listTokens } from './list.ts'

const LISTED_DEFAULT = 50

/** GET /token/info/{mint} and GET /tokens. */
export function tokenRoutes(
  deps: TokenDeps & { readonly directory: ChainDirectory },
): readonly Route[] {
  const { directory, clock } = deps
  const kept = keepRead<Awaited<ReturnType<typeof listTokens>>>({
    clock,
    keptMax: limits.tokenListsKeptMax,
  })
  return [
    route(endpoints.tokenInfo, async ({ params, query }) => {
      const { chain, mint } = resolveMint(directory, { ...params, ...query })
      return { body: await tokenInfo(deps, chain, mint) }
    }),
    route(endpoints.listTokens, async ({ query: { network, limit = LISTED_DEFAULT } }) => {
      const chains = network === undefined ? directory.all.values() : [directory.named(network)]
      const lists = [...chains]
        .filter(({ market }) => market !== undefined)
        .map((chain) =>
          kept(`${chain.config.network} ${limit}`, limits.tokenListSeconds, () =>
            listTokens(deps, chain, limit),
          ),
        )
      return { body: { tokens: (await Promise.all(lists)).flat() } }
    }),
  ]
}
