import type { Bench } from './bench.ts'
import type { Installation } from './installation.ts'
import { OUTSIDERS, sendsFrom } from './installation.ts'
import type { PlannedRequest } from './load/plan.ts'
import { measure } from './measure.ts'
import { inTurn } from './rounds.ts'

const CALLERS = 32
const PAYMENTS = 200
const PER_SECOND_GOAL = 3_000
const P99_GOAL_MILLISECONDS = 30
const WARM_UP_SECONDS = 3

/** GET /payment/status of confirmed payments, against the edge alone. */
export const status: Bench = {
  name: 'status',
  about: `GET /payment/status with ${CALLERS} callers, against a probe that asks no database`,
  run: async ({ installation, options: { seconds, rounds }, note }) => {
    const place = await installation()
    const reads = await readsOf(place)
    const load = (requests: readonly PlannedRequest[], callers: number) =>
      measure(place, { callers, requests, warmUpSeconds: WARM_UP_SECONDS, seconds })
    const probe: PlannedRequest = { method: 'GET', path: '/health/live' }
    const [many, one, live] = await inTurn(
      [
        { name: `status, ${CALLERS} callers`, measure: () => load(reads, CALLERS) },
        { name: 'status, 1 caller', measure: () => load(reads, 1) },
        { name: `probe, ${CALLERS} callers`, measure: () => load([probe], CALLERS) },
      ],
      rounds,
      note,
    )
    if (many === undefined || one === undefined || live === undefined) return []
    const isMet =
      many.perSecond >= PER_SECOND_GOAL &&
      (many.line.milliseconds?.p99 ?? 0) < P99_GOAL_MILLISECONDS
    const goal = { text: `>= ${PER_SECOND_GOAL}/s, p99 < ${P99_GOAL_MILLISECONDS} ms`, isMet }
    return [live, many, one].map(({ name, perSecond, line, rates }) => ({
      bench: 'status',
      what: name,
      ...line,
      ratio: perSecond / live.perSecond,
      ...(name === many.name ? { goal } : {}),
      more: { rates },
    }))
  },
}

async function readsOf({ client, database, newWallets }: Installation): Promise<PlannedRequest[]> {
  const wallets = await newWallets('evm', 1)
  const [send] = sendsFrom(wallets, OUTSIDERS.evm)
  const paths = await Promise.all(
    Array.from({ length: PAYMENTS }, async () => {
      const { body } = await client.raw(send?.path ?? '', send?.body ?? '')
      return `/payment/status/${String(body['paymentId'])}`
    }),
  )
  await database.whenConfirmed(wallets)
  return paths.map((path) => ({ method: 'GET', path }))
}
