import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { openTestEvents } from '@florin/server/events/test-event-service.ts'
import type { TestInstance, TestKey } from '@florin/server/events/test-event-service.ts'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import { startPostgres } from '@florin/server/store/embedded/start-postgres.ts'
import { migrate } from '@florin/server/store/migrate.ts'
import { openStore } from '@florin/server/store/postgres.ts'

// The service of bench/sockets.ts: a database of its own, the relay, the feed and the edge. `accounts` as argument; says its address and a
// key of each account. `load perSecond seconds` stores so many events, each in a transaction of its own, for one account after the
// other, and says when each was committed. `memory` says what it holds, its own garbage collected: resident, and what is alive of it.

const [accounts = '1'] = process.argv.slice(2)
const log = openLog('silent')
const directory = await mkdtemp(join(tmpdir(), 'florin-bench-'))
const postgres = await startPostgres({
  ...{ directory: join(directory, 'db'), log },
  ...{ clock: systemClock, random: systemRandom },
})
await migrate({ url: postgres.ownerUrl, log })
const events = await openTestEvents(async () => {
  const { ownerUrl } = postgres
  const store = openStore({ url: ownerUrl, log })
  return { url: ownerUrl, ownerUrl, store, close: () => store.close() }
})
const service = await events.start()
const keys: TestKey[] = []
for (let made = 0; made < Number(accounts); made += 1) keys.push(await events.aKey('enterprise'))
tell({ url: service.socketUrl, keys: keys.map(({ text }) => text) })

/** Milliseconds of the machine's own clock, which other processes read too. */
const now = () => Number(process.hrtime.bigint()) / 1e6

async function load({ store, tellOf }: TestInstance, perSecond: number, seconds: number) {
  const count = perSecond * seconds
  const committedAt = new Float64Array(count)
  const memory: number[] = []
  const cpu = process.cpuUsage()
  const loop = monitorEventLoopDelay({ resolution: 5 })
  loop.enable()
  const began = now()
  const all = Promise.withResolvers<void>()
  let committed = 0
  for (let index = 0; index < count; index += 1) {
    const due = began + (index * 1000) / perSecond
    await systemClock.sleep(Math.max(0, due - now()))
    const key = keys[index % keys.length]
    if (key === undefined) throw new Error('there are no accounts')
    tellOf(key.accountId, 'pay', { index, filler: 'x'.repeat(150) }).then(() => {
      committedAt[index] = now()
      committed += 1
      if (committed === count) all.resolve()
    }, all.reject)
    if (index % perSecond === 0) memory.push(process.memoryUsage().rss)
  }
  await all.promise
  const { user, system } = process.cpuUsage(cpu)
  const rows = await store.query<{ count: string }>(
    'bench_events',
    'select sum(count) as count from event_runs',
  )
  return {
    committedAt: [...committedAt],
    memory,
    cpuMilliseconds: (user + system) / 1000,
    milliseconds: now() - began,
    loopMilliseconds: loop.percentile(99) / 1e6,
    stored: rows[0]?.count,
  }
}

function tell(facts: object): void {
  process.stdout.write(`${JSON.stringify(facts)}\n`)
}

async function answer(line: string): Promise<void> {
  const [deed, perSecond = '0', seconds = '0'] = line.split(' ')
  if (deed === 'load') return tell(await load(service, Number(perSecond), Number(seconds)))
  globalThis.gc?.()
  const { rss, heapUsed, external } = process.memoryUsage()
  tell({ rss, live: heapUsed + external })
}

async function stop(): Promise<void> {
  await events.close()
  await postgres.stop()
  await rm(directory, { recursive: true, force: true })
  process.exit(0)
}

let working = Promise.resolve()
process.stdin.setEncoding('utf8')
process.stdin.on('data', (text: string) => {
  for (const line of text.split('\n').filter((each) => each !== '')) {
    working = working.then(() => answer(line))
  }
})
process.stdin.on('end', () => void working.then(stop))
