import type { Bench } from './bench.ts'
import { median } from './figures.ts'
import type { Figure } from './figures.ts'
import { startScript } from './script.ts'

const SOCKETS = 5_000
/** Of one turn: what a socket that was quiet costs more is over after a tenth of them. */
const EVENTS = 160
const WARM_UP = 3
/** Messages per second of the server's own CPU, against plain `ws` in the same run. */
const RATIO_GOAL = 1.2
const MEGABYTE = 1e6
/** As the relay hands them over when much happens. */
const TOGETHER = 8
const SIDES = ['ws', 'florin'] as const
type Side = (typeof SIDES)[number]

interface Took {
  readonly milliseconds: number
  readonly cpuMilliseconds: number
}

/** One event of 300 bytes to 5,000 sockets: as the service does it, and as `ws` does it by itself. */
export const fanOut: Bench = {
  name: 'fan-out',
  about: `one event to ${SOCKETS} sockets, beside plain ws`,
  run: async ({ options: { rounds }, note, defer }) => {
    const server = startScript('fan-out-main.ts', [], ['--expose-gc'])
    defer(server.stop)
    const port = String(JSON.parse(await server.ask()).port)
    for (const path of ['/florin', '/ws']) {
      const readers = startScript('fan-out-readers-main.ts', [port, path, `${SOCKETS}`])
      defer(readers.stop)
      await readers.ask()
      const { rss }: { rss: number } = JSON.parse(await server.ask('memory'))
      note(`${SOCKETS} sockets more at ${path}: ${(rss / MEGABYTE).toFixed(0)} MB`)
    }
    const figures: Figure[] = []
    for (const events of [1, TOGETHER]) {
      const taken: Record<Side, Took[]> = { ws: [], florin: [] }
      for (const side of SIDES) await server.ask(`${side} ${WARM_UP} ${events}`)
      for (let round = 0; round < rounds; round += 1) {
        // Now the one first, now the other.
        for (const side of round % 2 === 0 ? SIDES : SIDES.toReversed()) {
          const took: Took = JSON.parse(await server.ask(`${side} ${EVENTS / events} ${events}`))
          taken[side].push(took)
          const each = (took.cpuMilliseconds / EVENTS).toFixed(1)
          note(`${side}, ${events} at once: ${each} ms of CPU per event`)
        }
      }
      figures.push(...linesOf(taken, events))
    }
    return figures
  },
}

function linesOf(taken: Readonly<Record<Side, readonly Took[]>>, events: number): Figure[] {
  const messages = SOCKETS * EVENTS
  const per = (side: Side, of: (took: Took) => number) =>
    messages / (median(taken[side].map(of)) / 1000)
  const alone = (side: Side) => per(side, ({ cpuMilliseconds }) => cpuMilliseconds)
  const ratio = alone('florin') / alone('ws')
  const line = (side: Side) => ({
    bench: 'fan-out',
    what: `${side === 'ws' ? 'plain ws' : 'florin'}: ${events} at once to ${SOCKETS} sockets, messages`,
    perSecond: per(side, ({ milliseconds }) => milliseconds),
    mostAlone: alone(side),
    more: { taken: taken[side] },
  })
  return [
    { ...line('ws'), ratio: 1 },
    {
      ...line('florin'),
      ratio,
      ...(events === 1 ? { goal: { text: `>= ${RATIO_GOAL}`, isMet: ratio >= RATIO_GOAL } } : {}),
    },
  ]
}
