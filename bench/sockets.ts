import type { Bench } from './bench.ts'
import { startScript } from './script.ts'

const SOCKETS = 5_000
const ACCOUNTS = 50
const EVENTS_PER_SECOND = 100
/** Until code is compiled and buffers have their size. */
const WARM_UP_SECONDS = 15
const P99_GOAL_MILLISECONDS = 100
/** Memory is flat when what is alive after the load is at most so much more than before it. */
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
    const held = async (): Promise<Held> => JSON.parse(await service.ask('memory'))
    const before = await held()
    const readers = startScript('sockets-readers-main.ts', [url, `${SOCKETS}`, ...keys])
    defer(readers.stop)
    await readers.ask()
    const open = await held()
    note(`${SOCKETS} sockets: ${megabytes(before.rss)} before, ${megabytes(open.rss)} with them`)
    const load = async (seconds: number) => {
      const loaded: Loaded = JSON.parse(await service.ask(`load ${EVENTS_PER_SECOND} ${seconds}`))
      const told: Told = JSON.parse(await readers.ask(JSON.stringify(loaded.committedAt)))
      if (told.arrived !== told.expected) {
        throw new Error(`${told.arrived} of ${told.expected} messages came`)
      }
      return { ...loaded, told }
    }
    await load(WARM_UP_SECONDS)
    const warm = await held()
    const { told, memory, cpuMilliseconds, milliseconds, loopMilliseconds } = await load(
      Math.ceil(minutes * 60),
    )
    const after = await held()
    const messages = told.arrived
    const cpuMicroseconds = (cpuMilliseconds * 1000) / messages
    note(
      `${cpuMicroseconds.toFixed(0)} us of the service's CPU a message; resident at most ${megabytes(Math.max(...memory))}`,
    )
    const growth = (after.live - warm.live) / warm.live
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
          loopMilliseconds,
        },
      },
      {
        bench: 'sockets',
        what: `memory alive: without sockets, with ${SOCKETS}, before and after the load`,
        value: [before, open, warm, after].map(({ live }) => megabytes(live)).join(', '),
        goal: { text: `growth < ${GROWTH_GOAL * 100} %`, isMet: growth < GROWTH_GOAL },
        more: { before, open, warm, after, growth, residentBySecond: memory },
      },
    ]
  },
}

/** Bytes of the service, its garbage collected. */
interface Held {
  readonly rss: number
  readonly live: number
}

interface Loaded {
  readonly committedAt: readonly number[]
  readonly memory: readonly number[]
  readonly cpuMilliseconds: number
  readonly milliseconds: number
  /** How late the event loop came, the 99th. */
  readonly loopMilliseconds: number
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
