import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { isBlockedPort } from '@florin/wire/fetch-ports.ts'
import { dataDirectoryFrom } from './data-directory.ts'
import type { Environment } from './data-directory.ts'
import type { RemoteFacilitator } from './facilitator/remote.ts'
import { NO_PROXIES, readTrustedProxies } from './http/client-address.ts'
import type { TrustedProxies } from './http/client-address.ts'
import { KILL_POINTS } from './kernel/kill-point.ts'
import { LOG_LEVELS } from './kernel/log.ts'
import type { LogLevel } from './kernel/log.ts'
import { Secret } from './kernel/secret.ts'
import { readFacilitators } from './read-facilitators.ts'
import type { Setting } from './settings.ts'

/** Everything the environment decides. Read once at start, frozen, never read again. */
export interface Config {
  /** Address to listen on. */
  readonly host: string
  /** Port to listen on; 0 means any free one. */
  readonly port: number
  /** Absolute paths of a certificate chain and its key, PEM; null for plain HTTP. */
  readonly tls: { readonly certificateFile: string; readonly keyFile: string } | null
  /** The proxies whose word about their clients is believed. */
  readonly trustedProxies: TrustedProxies
  /** The address that callers know, without a slash at the end, or null. */
  readonly publicUrl: string | null
  /** Origins of pages that may open a WebSocket here, beside those of the service itself. */
  readonly allowedOrigins: readonly string[]
  /** Whether plain HTTP may be served to other machines. */
  readonly insecureHttp: boolean
  /** Absolute path of the directory that holds everything `florin up` keeps. */
  readonly dataDirectory: string
  /** An external PostgreSQL, or null for the embedded one. */
  readonly databaseUrl: Secret | null
  /** A Valkey or Redis that instances share, or null. */
  readonly redisUrl: Secret | null
  /** Absolute path of the networks file, or null. */
  readonly networksFile: string | null
  /** Absolute path of the key-encryption key. */
  readonly keyFile: string
  /** The text of the key-encryption key, in place of a file; or null. */
  readonly keyText: Secret | null
  /** Packages and absolute paths of files, each with a venue that a network may name. */
  readonly venues: readonly string[]
  /** Other facilitators that callers may name. */
  readonly facilitators: readonly RemoteFacilitator[]
  readonly logLevel: LogLevel
  /** Where /metrics is served without a key, or null. */
  readonly metricsDoor: { readonly host: string; readonly port: number } | null
  /** Where tests end the process, `point:pass`; works in the sandbox only. */
  readonly killPoint: string | null
  /** Whether the sandbox's fault switches are there; for tests. */
  readonly sandboxFaults: boolean
  /** The sandbox pays for approvals of a token without permits. */
  readonly sandboxApprovals: boolean
}

export type ConfigOutcome =
  | { readonly ok: true; readonly config: Config }
  | {
      readonly ok: false
      readonly problems: readonly string[]
      /** As far as it could be read: to look for further problems with, for nothing else. */
      readonly config: Config
    }

const PORT_DEFAULT = 4020
const PORT_MAX = 65_535
const HOST_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/
const PACKAGE = /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/
const VENUES_MAX = 8
const KILL_POINT = /^([a-z.-]+)(?::[1-9][0-9]{0,5})?$/

/**
 * Reads the environment. An empty variable counts as not set. Every problem is reported at once, by the name of its
 * variable; the values of DATABASE_URL and REDIS_URL are never repeated.
 */
export function readConfig(
  environment: Environment,
  directory: string = process.cwd(),
): ConfigOutcome {
  const problems: string[] = []
  const setting = (name: Setting): string | null => environment[name]?.trim() || null
  const path = (name: Setting): string | null => {
    const value = setting(name)
    if (value?.includes('\0')) problems.push(`${name} is not a path`)
    return value === null ? null : resolve(directory, value)
  }

  const flag = (name: Setting): boolean => {
    if (!['1', '0', null].includes(setting(name))) problems.push(`${name} must be 0 or 1`)
    return setting(name) === '1'
  }

  const dataDirectory = dataDirectoryFrom(environment, directory)
  const metricsHost = setting('FLORIN_METRICS_HOST') ?? '127.0.0.1'
  const metricsPort = setting('FLORIN_METRICS_PORT')
  const [certificateFile, tlsKeyFile] = [path('FLORIN_TLS_CERT'), path('FLORIN_TLS_KEY')]
  const config: Config = {
    host: setting('FLORIN_HOST') ?? '127.0.0.1',
    port: Number(setting('FLORIN_PORT') ?? PORT_DEFAULT),
    tls:
      certificateFile === null || tlsKeyFile === null
        ? null
        : { certificateFile, keyFile: tlsKeyFile },
    trustedProxies: readProxies(setting('FLORIN_TRUSTED_PROXIES'), problems),
    publicUrl: setting('FLORIN_PUBLIC_URL')?.replace(/\/+$/, '') ?? null,
    allowedOrigins: readOrigins(setting('FLORIN_ALLOWED_ORIGINS'), problems),
    insecureHttp: flag('FLORIN_INSECURE_HTTP'),
    dataDirectory,
    databaseUrl: secretFrom(setting('DATABASE_URL')),
    redisUrl: secretFrom(setting('REDIS_URL')),
    networksFile: path('FLORIN_NETWORKS'),
    venues: venuesFrom(setting('FLORIN_VENUES'), directory, problems),
    facilitators: facilitatorsFrom(setting('FLORIN_FACILITATORS'), problems),
    keyFile: path('FLORIN_KEY_FILE') ?? join(dataDirectory, 'keys', 'master.key'),
    keyText: secretFrom(setting('FLORIN_KEY')),
    logLevel: LOG_LEVELS.find((level) => level === setting('FLORIN_LOG_LEVEL')) ?? 'warn',
    metricsDoor: metricsPort === null ? null : { host: metricsHost, port: Number(metricsPort) },
    killPoint: setting('FLORIN_KILL_POINT'),
    sandboxFaults: flag('FLORIN_SANDBOX_FAULTS'),
    sandboxApprovals: flag('FLORIN_SANDBOX_APPROVALS'),
  }

  const port = setting('FLORIN_PORT')
  if (port !== null && (!/^[0-9]{1,5}$/.test(port) || Number(port) > PORT_MAX)) {
    problems.push(`FLORIN_PORT must be a whole number from 0 to ${PORT_MAX}, not "${port}"`)
  } else if (isBlockedPort(config.port)) {
    problems.push(
      `FLORIN_PORT must not be ${config.port}: browsers and fetch refuse to connect to that port, whoever listens there`,
    )
  }
  if (isIP(config.host) === 0 && !HOST_NAME.test(config.host)) {
    problems.push(`FLORIN_HOST must be an IP address or a host name, not "${config.host}"`)
  }
  if (metricsPort !== null && (!/^[1-9][0-9]{0,4}$/.test(metricsPort) || +metricsPort > PORT_MAX)) {
    problems.push(
      `FLORIN_METRICS_PORT must be a whole number from 1 to ${PORT_MAX}, not "${metricsPort}"`,
    )
  }
  if (isIP(metricsHost) === 0 && !HOST_NAME.test(metricsHost)) {
    problems.push(`FLORIN_METRICS_HOST must be an IP address or a host name, not "${metricsHost}"`)
  }
  if (config.databaseUrl !== null && !isDatabaseUrl(config.databaseUrl.reveal())) {
    problems.push('DATABASE_URL must look like postgresql://user:password@host:5432/database')
  }
  if (config.redisUrl !== null && !isRedisUrl(config.redisUrl.reveal())) {
    problems.push('REDIS_URL must look like redis://:password@host:6379/0, rediss for TLS')
  }
  const level = setting('FLORIN_LOG_LEVEL')
  if (level !== null && level !== config.logLevel) {
    problems.push(`FLORIN_LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}, not "${level}"`)
  }
  if (config.killPoint !== null && !isKillPoint(config.killPoint)) {
    problems.push('FLORIN_KILL_POINT names no kill point (it is for tests: leave it unset)')
  }
  if ((certificateFile === null) !== (tlsKeyFile === null)) {
    problems.push('FLORIN_TLS_CERT and FLORIN_TLS_KEY go together: set both or neither')
  }
  if (config.publicUrl !== null && !isPublicUrl(config.publicUrl)) {
    problems.push('FLORIN_PUBLIC_URL must look like https://pay.your-domain.com')
  }
  if (config.keyText !== null && setting('FLORIN_KEY_FILE') !== null) {
    problems.push('FLORIN_KEY and FLORIN_KEY_FILE are two keys: set one of them')
  }
  Object.freeze(config)
  return problems.length > 0 ? { ok: false, problems, config } : { ok: true, config }
}

function readProxies(text: string | null, problems: string[]): TrustedProxies {
  if (text === null) return NO_PROXIES
  const read = readTrustedProxies(text)
  if (read.ok) return read.proxies
  problems.push(
    `FLORIN_TRUSTED_PROXIES must be addresses and ranges such as 10.0.0.0/8, not ${read.wrong.join(', ')}`,
  )
  return NO_PROXIES
}

function venuesFrom(text: string | null, directory: string, problems: string[]): readonly string[] {
  const names = (text ?? '').split(/[\s,]+/).filter((name) => name !== '')
  const isPath = (name: string) => /^\.{0,2}\//.test(name)
  if (names.length > VENUES_MAX || !names.every((name) => isPath(name) || PACKAGE.test(name))) {
    problems.push(
      `FLORIN_VENUES must be packages, or files like ./plugins/pump/venue.ts, with commas between them, ${VENUES_MAX} at most`,
    )
    return []
  }
  return names.map((name) => (isPath(name) ? resolve(directory, name) : name))
}

function facilitatorsFrom(text: string | null, problems: string[]): readonly RemoteFacilitator[] {
  const read = readFacilitators(text ?? '')
  if (read === undefined) {
    problems.push(
      'FLORIN_FACILITATORS must be addresses with commas between them, each like https://x402.example/x402 or https://:KEY@x402.example/x402',
    )
  }
  return read ?? []
}

function readOrigins(text: string | null, problems: string[]): readonly string[] {
  const origins = (text ?? '').split(/[\s,]+/).filter((origin) => origin !== '')
  if (!origins.every((origin) => URL.parse(origin)?.origin === origin)) {
    problems.push(
      'FLORIN_ALLOWED_ORIGINS must be origins with commas between them, each like https://shop.example',
    )
  }
  return origins
}

function isPublicUrl(text: string): boolean {
  const url = URL.parse(text)
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    `${url.origin}${url.pathname}`.replace(/\/$/, '') === text
  )
}

function secretFrom(text: string | null): Secret | null {
  return text === null ? null : new Secret(text)
}

function isDatabaseUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^postgres(?:ql)?:$/.test(url.protocol) && url.pathname.length > 1
}

/** Without a query: what the address says wins over our own settings in the client. */
function isRedisUrl(text: string): boolean {
  const url = URL.parse(text)
  return (
    url !== null &&
    /^rediss?:$/.test(url.protocol) &&
    url.hostname !== '' &&
    /^(\/[0-9]{0,2})?$/.test(url.pathname) &&
    !/[?#]/.test(text)
  )
}

function isKillPoint(text: string): boolean {
  const name = KILL_POINT.exec(text)?.[1]
  return KILL_POINTS.some((point) => point === name)
}
