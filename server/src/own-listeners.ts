import type { Secret } from './kernel/secret.ts'
import type { NetworkConfig } from './kernel/network-config.ts'
import type { Listener } from './outbound/own-listeners.ts'

const PORTS: Readonly<Record<string, number>> = {
  'postgres:': 5432,
  'postgresql:': 5432,
  'redis:': 6379,
  'rediss:': 6379,
  'http:': 80,
  'ws:': 80,
  'https:': 443,
  'wss:': 443,
}

/**
 * Where the parts that this service runs on listen: never to be reached for a caller. Public nodes are no part of it: whoever names
 * one gets there by itself just as well.
 */
export function listenersOf({
  databaseUrl,
  redisUrl,
  networks,
}: {
  readonly databaseUrl: Secret
  readonly redisUrl?: Secret | null
  readonly networks: readonly Pick<NetworkConfig, 'rpcUrls'>[]
}): readonly Listener[] {
  const urls = [databaseUrl, redisUrl ?? null, ...networks.flatMap(({ rpcUrls }) => rpcUrls)]
  return urls.flatMap((secret) => {
    const url = secret === null ? null : URL.parse(secret.reveal())
    if (url === null) return []
    const port = url.port === '' ? PORTS[url.protocol] : Number(url.port)
    return port === undefined ? [] : [{ host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port }]
  })
}
