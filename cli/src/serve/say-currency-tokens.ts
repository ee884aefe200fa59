import { unpayableCurrencyTokens } from '@florin/server/kernel/currency-tokens.ts'
import type { Log } from '@florin/server/kernel/log.ts'
import type { NetworkConfig } from '@florin/server/kernel/network-config.ts'

/** Says at the start which listed tokens are their network's currency and move nothing by a plain transfer. */
export function sayCurrencyTokens(
  log: Log,
  networks: readonly Pick<NetworkConfig, 'network' | 'assets'>[],
): void {
  for (const facts of unpayableCurrencyTokens(networks)) {
    log.warn(
      facts,
      'this token is the currency of its network under another name, and a transfer of it moves nothing: list the native currency alone, docs/operating/networks.md, "Chains whose currency is a token, too"',
    )
  }
}
