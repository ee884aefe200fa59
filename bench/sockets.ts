import type { Bench } from './bench.ts'
import { median } from './figures.ts'
import { startScript } from './script.ts'

const SOCKETS = 5_000
const ACCOUNTS = 50
const EVENTS_PER_SECOND = 100
const WARM_UP_SECONDS = 3
const P99_GOAL_MILLISECONDS = 100
/** Memory is flat when the last fifth of the load holds at most so much more than the first. */
const GROWTH_GOAL = 0.05
const MEGABYTE = 1e6

/** From a commit until the sockets of its account have the event, through the relay, the feed and the edge, with 5,000 sockets open. */
export const sockets: Bench = {
  name: 'sockets',
  about: `${EVENTS_PER_SECOND} events/s, each to ${SOCKETS / ACCOUNTS} of ${SOCKETS} open sockets, for --minutes`,
  run: async ({ options: { minutes }, note, defer }) => {
    const service = startScript('sockets-main.ts', [`${ACCOUNTS}`], ['--expose-gc'])
    defer(service.stop)
    const { url, keys }: { url: string; keys: string[] } = JSON.parse(await service.ask())
    const held = async () => {
      const { rss }: { rss: number } = JSON.parse(await service.ask('memory'))
      return rss
    }
    const before = await held()
    const readers = startScript('sockets-readers-main.ts', [url, `${SOCKETS}`, ...keys])
    defer(readers.stop)
    await readers.ask()
    const open = await held()
    note(`${SOCKETS} sockets: ${megabytes(before)} before, ${megabytes(open)} with them`)
    const load = async (seconds: number) => {
      const loaded: Loaded = JSON.parse(await service.ask(`load ${EVENTS_PER_SECOND} ${seconds}`))
      const told: Told = JSON.parse(await readers.ask(JSON.stringify(loaded.committedAt)))
      if (told.arrived !== told.expected) {
        throw new Error(`${told.arrived} of ${told.expected} messages came`)
      }
      return { ...loaded, told }
    }
    await load(WARM_UP_SECONDS)
    const { told, memory, cpuMilliseconds, milliseconds } = await load(Math.ceil(minutes * 60))
    const fifth = Math.max(1, Math.floor(memory.length / 5))
    const [first, last] = [median(memory.slice(0, fifth)), median(memory.slice(-fifth))]
    const after = await held()
    const messages = told.arrived
    const cpuMicroseconds = (cpuMilliseconds * 1000) / messages
    note(`${cpuMicroseconds.toFixed(0)} us of the service's CPU a message`)
    const growth = (last - first) / first
    return [
      {
        bench: 'sockets',
        what: `commit to socket, ${SOCKETS} open`,
        perSecond: messages / (milliseconds / 1000),
        milliseconds: told,
        goal: {
          text: `p99 < ${P99_GOAL_MILLISECONDS} ms`,
          isMet: told.p99 < P99_GOAL_MILLISECONDS,
        },
        more: {
          messages,
          longest: told.longest,
          cpuMicroseconds,
        },
      },
      {
        bench: 'sockets',
        what: `resident memory: without sockets, with ${SOCKETS}, first and last fifth of the load, after it`,
        value: [before, open, first, last, after].map(megabytes).join(', '),
        goal: { text: `growth < ${GROWTH_GOAL * 100} %`, isMet: growth < GROWTH_GOAL },
        more: { before, open, first, last, after, growth, memory },
      },
    ]
  },
}

interface Loaded {
  readonly committedAt: readonly number[]
  readonly memory: readonly number[]
  readonly cpuMilliseconds: number
  readonly milliseconds: number
}

interface Told {
  readonly expected: number
  readonly arrived: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly longest: number
}

const megabytes = (bytes: number) => `${(bytes / MEGABYTE).toFixed(0)} MB`
