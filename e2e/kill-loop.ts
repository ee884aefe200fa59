import { createServer } from 'node:net'
import { once } from 'node:events'
import { until } from '@florin/server/kernel/until.ts'
import { listProcesses } from '@florin/server/store/embedded/processes.ts'
import { audit } from './actors/audit.ts'
import { openClient } from './actors/client.ts'
import { processesOf, startFlorin } from './actors/florin.ts'
import { fractions } from './actors/fractions.ts'
import { openJournal } from './actors/journal.ts'
import type { Journal } from './actors/journal.ts'
import { openKiller } from './actors/killer.ts'
import type { Killer, Victim } from './actors/killer.ts'
import { look, payUntil, readUntil } from './actors/payers.ts'

/** Below the ports that the system gives out by itself: nobody takes it while the service is away. */
const PORTS = { least: 20_000, count: 10_000, triesMax: 50 }
const SETTLE_SECONDS = 60
const BROKEN_SHOWN_MAX = 5
const LOG_LINES_SHOWN = 80

export interface KillLoopReport {
  /** Decides victims, moments and payments; give it again to repeat a run as far as running processes repeat themselves. */
  readonly seed: number
  readonly kills: Readonly<Record<Victim, number>>
  readonly payments: number
  /** Those of them that went over Solana. */
  readonly onSolana: number
  /** From the last kill until everything was settled. */
  readonly settleSeconds: number
  /** Payments whose request had to be sent more than once. */
  readonly repeated: number
  /** How often the chain lost blocks that the service had read, by its log. */
  readonly reorgs: number
  /** What must never have happened, with its story and the log's end; empty when nothing was lost and nothing paid twice. */
  readonly broken: string
}

/**
 * The blind kill loop: workers pay through `florin up` while its processes are killed at random moments. Every worker notes
 * what it wants before it asks, and asks with the same key until it is answered. Afterwards every payment must be settled,
 * stored once, and on chain with exactly its amount; the doctor must find nothing, and the end must leave no process.
 */
export async function runKillLoop({
  seed,
  seconds,
  workers,
  pauseMilliseconds,
}: {
  readonly seed: number
  /** How long there is killing. */
  readonly seconds: number
  readonly workers: number
  /** The longest pause between two kills. */
  readonly pauseMilliseconds: number
}): Promise<KillLoopReport> {
  const random = fractions(seed)
  const port = await freePort(random)
  const first = await startFlorin({ env: { FLORIN_PORT: port, FLORIN_LOG_LEVEL: 'info' } })
  const { info } = first
  const journal = openJournal()
  const killer = openKiller(first, random, journal)
  const enough = new AbortController()
  let settleSeconds = 0
  const options = { info, journal, enough: enough.signal }
  try {
    const paying = Promise.all([
      ...Array.from({ length: workers }, (_, index) => {
        const own = fractions(Math.floor(random() * 2 ** 32))
        return payUntil(`worker-${index}`, own, options)
      }),
      readUntil(fractions(seed + 1), options),
    ])
    await killer.killFor({ seconds, pauseMilliseconds }).finally(() => enough.abort())
    const since = performance.now()
    await paying
    await allSettled(killer, journal)
    settleSeconds = Math.round((performance.now() - since) / 1000)
    if (journal.broken.length === 0) await audit(killer.florin(), journal)
    await end(killer, journal)
  } catch (error) {
    journal.break(null, error instanceof Error ? (error.stack ?? error.message) : String(error))
  } finally {
    enough.abort()
    await killer.florin().discard()
  }
  return {
    seed,
    kills: killer.kills(),
    payments: journal.entries.length,
    onSolana: journal.entries.filter(({ family }) => family === 'solana').length,
    settleSeconds,
    repeated: journal.entries.filter(({ tries }) => tries > 1).length,
    reorgs: killer.log().filter((line) => line.includes('"reorg"')).length,
    broken: explain(seed, journal.broken, killer),
  }
}

async function allSettled(killer: Killer, journal: Journal): Promise<void> {
  const { info } = killer.florin()
  const client = openClient(info.baseUrl, info.apiKeys.enterprise)
  const open = new Set(journal.entries.filter(({ paymentId }) => paymentId !== undefined))
  await until(
    'every acknowledged payment is settled',
    async () => {
      for (const entry of open) {
        if (!(await look(client, entry, journal))) return journal.broken.length > 0
        open.delete(entry)
      }
      return true
    },
    { seconds: SETTLE_SECONDS },
  ).catch((error: unknown) => {
    for (const entry of [...open].slice(0, BROKEN_SHOWN_MAX)) {
      journal.break(entry, `${String(error)}; this one is not`)
    }
  })
}

async function end(killer: Killer, journal: Journal): Promise<void> {
  const florin = killer.florin()
  // The Solana chain's process does not name the directory: it is found by its parent, as long as that lives.
  const before = new Set((await processesOf(florin.dataDirectory)).map(({ pid }) => pid))
  const code = await florin.stop()
  if (code !== 0) journal.break(null, `SIGTERM ended up with ${code}`)
  const all = await listProcesses()
  const left = [
    ...(await processesOf(florin.dataDirectory)),
    ...all.filter(({ pid }) => before.has(pid)),
  ]
  if (left.length > 0) journal.break(null, `left behind: ${JSON.stringify(left)}`)
}

/** What must never have happened, with the end of the log, in which answers are left out; empty when nothing did. */
export function explain(seed: number, broken: readonly string[], killer: Killer): string {
  if (broken.length === 0) return ''
  const more = broken.length > BROKEN_SHOWN_MAX ? [`... ${broken.length} in all`] : []
  const log = killer.log().filter((line) => !line.includes('"msg":"answered"'))
  return [
    `seed ${seed}`,
    ...broken.slice(0, BROKEN_SHOWN_MAX),
    ...more,
    '',
    'the end of the log:',
    ...log.slice(-LOG_LINES_SHOWN),
  ].join('\n')
}

/** A port that nobody has, for a service that comes back to it. */
export async function freePort(random: () => number): Promise<string> {
  for (let tries = 0; tries < PORTS.triesMax; tries += 1) {
    const port = PORTS.least + Math.floor(random() * PORTS.count)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    server.close()
    if (isFree) return String(port)
  }
  throw new Error('no port is free')
}
