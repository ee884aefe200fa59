import { formatAmount } from '@florin/wire/amount.ts'
import { RawJson } from '@florin/wire/raw-json.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import type { Accept } from './listing.ts'
import type { Listed } from './store.ts'

/** A listing in the shape of x402. */
export function discoveryItem(listed: Listed) {
  const { description, mimeType, serviceName, tags, iconUrl } = listed
  return {
    resource: listed.resource,
    type: listed.type,
    x402Version: listed.x402Version,
    accepts: listed.accepts.map(({ requirement }) => ({ ...requirement })),
    lastUpdated: new Date(listed.lastSettledAtMilliseconds).toISOString(),
    ...(description === null ? {} : { description }),
    ...(mimeType === null ? {} : { mimeType }),
    ...(serviceName === null ? {} : { serviceName }),
    ...(tags.length === 0 ? {} : { tags: [...tags] }),
    ...(iconUrl === null ? {} : { iconUrl }),
    extensions: { bazaar: listed.bazaar },
  }
}

/** A listing as its seller sees it: what it costs in units that people know. */
export function catalogueResource(listed: Listed, networks: readonly NetworkConfig[]) {
  return {
    resource: listed.resource,
    type: listed.type,
    method: listed.method === '' ? null : listed.method,
    toolName: listed.toolName === '' ? null : listed.toolName,
    description: listed.description,
    serviceName: listed.serviceName,
    prices: listed.accepts.map((accept) => priceOf(accept, networks)),
    settledCount: listed.settledCount,
    listedAt: listed.listedAtMilliseconds,
    lastSettledAt: listed.lastSettledAtMilliseconds,
  }
}

function priceOf(
  { network, scheme, asset, payTo, amount }: Accept,
  networks: readonly NetworkConfig[],
) {
  const config = networks.find((each) => each.network === network)
  const profile = config?.assets.find((each) => each.asset === asset)
  const whole =
    profile === undefined ? null : new RawJson(formatAmount(BigInt(amount), profile.decimals))
  const symbol = profile?.symbol ?? null
  return { network, scheme, asset, symbol, payTo, amount: whole, amountBaseUnits: amount }
}
