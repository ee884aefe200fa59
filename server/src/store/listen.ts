import pg from 'pg'
import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import type { Secret } from '../kernel/secret.ts'
import type { Tx } from './postgres.ts'

/** One channel for all wake-ups: the payload says what changed, a reader looks the rest up. */
const CHANNEL = 'florin_changed'
/** What the database calls the connection on which an instance listens: each has one. */
export const LISTENER_NAME = 'florin-listen'
const NAMES_PER_NOTIFICATION_MAX = 200
const RECONNECT_MILLISECONDS = 500

export interface Listener {
  /** Calls back with each name that some instance's committed transaction notified. Returns the way to stop. */
  onChanged(callback: (name: string) => void): () => void
  stop(): Promise<void>
}

/** Tells every instance, when this transaction commits, that the named things changed. A hint: it may be lost with a connection. */
export async function notifyChanged(tx: Tx, names: readonly string[]): Promise<void> {
  for (let start = 0; start < names.length; start += NAMES_PER_NOTIFICATION_MAX) {
    const payload = names.slice(start, start + NAMES_PER_NOTIFICATION_MAX).join(' ')
    await tx.query('notify_changed', `select pg_notify('${CHANNEL}', $1)`, [payload])
  }
}

/** Keeps one connection that listens, made again whenever it is lost. What was missed meanwhile is the reader's slow timer's. */
export function openListener({
  url,
  clock,
  log,
}: {
  url: Secret
  clock: Clock
  log: Log
}): Listener {
  const callbacks = new Set<(name: string) => void>()
  const stopping = new AbortController()
  let live: pg.Client | undefined

  async function listenOnce(): Promise<void> {
    const client = new pg.Client({
      connectionString: url.reveal(),
      application_name: LISTENER_NAME,
      keepAlive: true,
      connectionTimeoutMillis: limits.databaseLockSeconds * 1000,
    })
    const lost = new Promise<void>((resolve) => {
      client.on('error', () => resolve())
      client.on('end', () => resolve())
    })
    client.on('notification', ({ payload = '' }) => {
      for (const name of payload.split(' ')) for (const callback of callbacks) callback(name)
    })
    try {
      await client.connect()
      await client.query(`listen ${CHANNEL}`)
      live = client
      if (!stopping.signal.aborted) await lost
    } finally {
      live = undefined
      await client.end().catch(() => undefined)
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await listenOnce().catch((error: unknown) => {
        log.debug({ reason: error }, 'listening was interrupted')
      })
      await clock.sleep(RECONNECT_MILLISECONDS, stopping.signal)
    }
  }

  const running = run()
  return {
    onChanged: (callback) => {
      callbacks.add(callback)
      return () => void callbacks.delete(callback)
    },
    stop: async () => {
      stopping.abort()
      await live?.end().catch(() => undefined)
      await running
    },
  }
}
