import type { Bench } from './bench.ts'
import type { PlannedRequest } from './load/plan.ts'
import { measure } from './measure.ts'
import { inTurn } from './rounds.ts'

const CALLERS = 32
const AMOUNTS = 50
const PER_SECOND_GOAL = 500
const WARM_UP_SECONDS = 3

/** GET /trade/quote for all tokens of the sandbox's EVM chain, in both directions and many amounts, against the edge alone. */
export const quotes: Bench = {
  name: 'quotes',
  about: `GET /trade/quote with ${CALLERS} callers: pool state at most one block old`,
  run: async ({ installation, options: { seconds, rounds }, note }) => {
    const place = await installation()
    const requests = place.tokens.flatMap(({ mint }) =>
      Array.from({ length: AMOUNTS }, (_, index): PlannedRequest[] =>
        ['buy', 'sell'].map((side) => ({
          method: 'GET',
          path: `/trade/quote?side=${side}&mint=${mint}&amount=${(index + 1) / 10}`,
        })),
      ).flat(),
    )
    const load = (planned: readonly PlannedRequest[], callers: number) =>
      measure(place, { callers, requests: planned, warmUpSeconds: WARM_UP_SECONDS, seconds })
    const probe: PlannedRequest = { method: 'GET', path: '/health/live' }
    const [many, one, live] = await inTurn(
      [
        { name: `quotes, ${CALLERS} callers`, measure: () => load(requests, CALLERS) },
        { name: 'quotes, 1 caller', measure: () => load(requests, 1) },
        { name: `probe, ${CALLERS} callers`, measure: () => load([probe], CALLERS) },
      ],
      rounds,
      note,
    )
    if (many === undefined || one === undefined || live === undefined) return []
    const isMet = many.perSecond >= PER_SECOND_GOAL
    return [live, many, one].map(({ name, perSecond, line, rates }) => ({
      bench: 'quotes',
      what: name,
      ...line,
      ratio: perSecond / live.perSecond,
      ...(name === many.name ? { goal: { text: `>= ${PER_SECOND_GOAL}/s`, isMet } } : {}),
      more: { rates },
    }))
  },
}
