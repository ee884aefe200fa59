import type { Bench } from './bench.ts'
import type { Figure } from './figures.ts'
import type { Family } from './installation.ts'
import { OUTSIDERS } from './installation.ts'
import type { PlannedRequest } from './load/plan.ts'
import { measure } from './measure.ts'
import { inTurn } from './rounds.ts'

/** More than are ever under way at once within the goal. */
const CALLERS = 256
const WALLETS = 40
const WARM_UP_SECONDS = 2
const GOALS = { evm: 500, solana: 150 } as const
const P99_GOAL_MILLISECONDS = 120
/** Of what is due, so much must be answered: the rate is given, only the answers are measured. */
const ANSWERED_PART = 0.98

/** POST /transaction/send at a given rate, whatever the answers do: native transfers from many wallets, never signed. */
export function builds(family: Family): Bench {
  const perSecond = GOALS[family]
  return {
    name: `${family}-builds`,
    about: `POST /transaction/send (${family}), ${perSecond}/s whatever the answers do, ${WALLETS} wallets`,
    run: async ({ installation, options: { seconds, rounds }, note }) => {
      const place = await installation()
      const wallets = await place.newWallets(family, WALLETS)
      const requests = buildsFrom(wallets, OUTSIDERS[family])
      const [taken] = await inTurn(
        [
          {
            name: `${family} builds, ${perSecond}/s due`,
            measure: () =>
              measure(place, {
                callers: CALLERS,
                requests,
                warmUpSeconds: WARM_UP_SECONDS,
                seconds,
                arrivalsPerSecond: perSecond,
              }),
          },
        ],
        rounds,
        note,
      )
      if (taken === undefined) return []
      const { name, line, rates, refused } = taken
      const isMet =
        taken.perSecond >= perSecond * ANSWERED_PART &&
        refused === 0 &&
        (line.milliseconds?.p99 ?? Number.POSITIVE_INFINITY) < P99_GOAL_MILLISECONDS
      const goal = { text: `${perSecond}/s, p99 < ${P99_GOAL_MILLISECONDS} ms`, isMet }
      const figure: Figure = { bench: `${family}-builds`, what: name, ...line, goal }
      return [{ ...figure, more: { rates, refused } }]
    },
  }
}

/** One transfer from each wallet in turn. */
export function buildsFrom(wallets: readonly string[], recipientAddress: string): PlannedRequest[] {
  return wallets.map((walletAddress) => ({
    method: 'POST',
    path: '/transaction/send',
    // More than the rent of a new account on Solana.
    body: JSON.stringify({ walletAddress, recipientAddress, amount: 0.001 }),
  }))
}
