import { currencyTokens } from '@florin/server/kernel/currency-tokens.ts'
import type { Log } from '@florin/server/kernel/log.ts'
import type { NetworkConfig } from '@florin/server/kernel/network-config.ts'

/** Says at the start which listed tokens are their network's currency: custodial wallets there show one money twice. */
export function sayCurrencyTokens(
  log: Log,
  networks: readonly Pick<NetworkConfig, 'network' | 'assets'>[],
): void {
  for (const facts of currencyTokens(networks)) {
    log.warn(
      facts,
      'this token is the currency of its network under another name, and wallets here show that money twice: docs/operating/networks.md, "Chains whose currency is a token, too"',
    )
  }
}
