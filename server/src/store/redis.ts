import { createHash } from 'node:crypto'
import type { Clock } from '../kernel/clock.ts'
import { hasLeft } from '../kernel/has-left.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import type { Secret } from '../kernel/secret.ts'

/** A Lua script, known to the server by its digest once it has run. */
export interface RedisScript {
  readonly text: string
  readonly sha1: string
}

/** A Valkey or Redis server that instances share. It may lose everything at any time: nothing that must last is kept there. */
export interface Redis {
  /** Runs a script on one key. Throws RedisAway within limits.redisAnswerMilliseconds when it has no result by then. */
  run(script: RedisScript, key: string, ...args: readonly number[]): Promise<unknown>
  /** Whether the last call had a result. */
  isAway(): boolean
  close(): void
}

/** There was no result: no connection, no answer in time, or an error. Whether the script ran is unknown. */
export class RedisAway extends Error {
  override readonly name = 'RedisAway'
}

export function redisScript(text: string): RedisScript {
  return { text, sha1: createHash('sha1').update(text).digest('hex') }
}

const RECONNECT_MILLISECONDS_MAX = 2_000
const SILENCE_MILLISECONDS = 1_000

/**
 * Connects, waiting for it no longer than limits.redisConnectMilliseconds, and goes on trying for ever. After a failure calls
 * fail at once for limits.redisPauseMilliseconds; then a single one tries. Loss and return are logged once each; the address,
 * which holds the password, never is.
 */
export async function openRedis({
  url,
  clock,
  log,
  answerMilliseconds = limits.redisAnswerMilliseconds,
  connectMilliseconds = limits.redisConnectMilliseconds,
}: {
  readonly url: Secret
  readonly clock: Clock
  readonly log: Log
  /** Other bounds, for tests on a slow machine. */
  readonly answerMilliseconds?: number
  readonly connectMilliseconds?: number
}): Promise<Redis> {
  // Read only where there is a Redis: the client takes 10 MB.
  const { Redis: Client } = await import('ioredis')
  const client = new Client(url.reveal(), {
    lazyConnect: true,
    connectTimeout: connectMilliseconds,
    // A connection that is open and silent is given up, so that nothing piles up behind it.
    socketTimeout: SILENCE_MILLISECONDS,
    retryStrategy: (times) => Math.min(2 ** times * 50, RECONNECT_MILLISECONDS_MAX),
    // A script that counts must not run twice, nor later than somebody waits for it.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    enableOfflineQueue: false,
    disableClientInfo: true,
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  })
  let away = false
  let lastReason = ''
  let triesAgainAtMilliseconds = -Infinity

  // Only the message: an error of the client carries its command, and that of AUTH the password.
  client.on('error', (error: Error) => {
    lastReason = error.message
  })

  function failed(error: unknown): RedisAway {
    const reason = error instanceof Error ? error.message : 'unknown'
    if (!away) log.warn({ reason, lastReason }, 'Redis is away')
    away = true
    triesAgainAtMilliseconds = clock.nowMilliseconds() + limits.redisPauseMilliseconds
    return new RedisAway('Redis has not answered', { cause: error })
  }

  function returned(): void {
    if (away) log.warn({}, 'Redis is back')
    away = false
  }

  /** Says no while a failure is fresh, and lets one caller at a time find out whether it is over. */
  function mayTry(): boolean {
    if (!away) return true
    const now = clock.nowMilliseconds()
    if (hasLeft(triesAgainAtMilliseconds, now, limits.redisPauseMilliseconds)) return false
    triesAgainAtMilliseconds = now + limits.redisPauseMilliseconds
    return true
  }

  const connected = new AbortController()
  void client.connect().then(
    () => connected.abort(),
    () => connected.abort(),
  )
  await clock.sleep(connectMilliseconds, connected.signal)
  if (client.status !== 'ready') failed(new Error(`not connected: ${client.status}`))

  return {
    run: async ({ text, sha1 }, key, ...args) => {
      if (!mayTry()) throw new RedisAway('Redis was away a moment ago')
      try {
        const asked = client.evalsha(sha1, 1, key, ...args).catch((error: unknown) => {
          if (!isUnknownScript(error)) throw error
          return client.eval(text, 1, key, ...args)
        })
        const result = await inTime(asked, answerMilliseconds)
        returned()
        return result
      } catch (error) {
        throw failed(error)
      }
    },
    isAway: () => away,
    close: () => {
      client.disconnect()
    },
  }
}

/**
 * A look at what has arrived comes between the deadline and the refusal: when it was this process that stood still, the answer
 * is there.
 */
function inTime(asked: Promise<unknown>, milliseconds: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      setImmediate(() => reject(new Error(`no answer within ${milliseconds} ms`)))
    }, milliseconds)
    asked.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}
