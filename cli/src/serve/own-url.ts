import type { Config } from '@florin/server/config.ts'
import { localUrl } from '../up/local-url.ts'

/** The address at which people reach the service: the one that was configured, else the one that it listens on. */
export function ownUrl(
  { publicUrl, tls, host, port }: Pick<Config, 'publicUrl' | 'tls' | 'host' | 'port'>,
  listening: number = port,
): string {
  if (publicUrl !== null) return publicUrl.replace(/\/$/, '')
  const url = localUrl(host, listening)
  return tls === null ? url : url.replace(/^http:/, 'https:')
}
