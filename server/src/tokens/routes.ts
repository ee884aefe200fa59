import { endpoints } from '@florin/wire/endpoints.ts'
import type { ChainDirectory } from '../chains/directory.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import { tokenInfo } from './info.ts'
import type { TokenDeps } from './info.ts'
import { resolveMint } from '../markets/resolve-mint.ts'

/** GET /token/info/{mint}. */
export function tokenRoutes(
  deps: TokenDeps & { readonly directory: ChainDirectory },
): readonly Route[] {
  return [
    route(endpoints.tokenInfo, async ({ params, query }) => {
      const { chain, mint } = resolveMint(deps.directory, { ...params, ...query })
      return { body: await tokenInfo(deps, chain, mint) }
    }),
  ]
}
