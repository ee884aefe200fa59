import type { Bench } from './bench.ts'
import type { Figure } from './figures.ts'
import type { Family, Installation } from './installation.ts'
import { OUTSIDERS, sendsFrom } from './installation.ts'
import { measure } from './measure.ts'
import type { Measured } from './measure.ts'
import { inTurn } from './rounds.ts'

const CALLERS = 64
const WALLETS = 10
const WARM_UP_SECONDS = 2
const PER_SECOND_GOALS = { evm: 300, solana: 80 } as const

/** POST /payment/send with waitFor submitted, over ten wallets and over one; afterwards every payment must be confirmed. */
export function sends(family: Family): Bench {
  return {
    name: family,
    about: `POST /payment/send (${family}, waitFor submitted), ${CALLERS} callers over ${WALLETS} wallets, and over one`,
    run: async ({ installation, options: { seconds, rounds }, note }) => {
      const place = await installation()
      const senders: string[] = []
      let answered = 0
      const load = async (count: number): Promise<Measured> => {
        const wallets = await place.newWallets(family, count)
        senders.push(...wallets)
        const requests = sendsFrom(wallets, OUTSIDERS[family])
        const plan = { callers: CALLERS, requests, warmUpSeconds: WARM_UP_SECONDS, seconds }
        const measured = await measure(place, plan)
        answered += measured.answeredInAll
        // The next round begins with nothing under way.
        await place.database.whenConfirmed(wallets)
        return measured
      }
      const taken = await inTurn(
        [WALLETS, 1].map((count) => ({
          name: `${family} sends, ${CALLERS} callers, ${count} wallet${count === 1 ? '' : 's'}`,
          measure: () => load(count),
        })),
        rounds,
        note,
      )
      const fate = await fateOf(place, senders, answered)
      const goalRate = PER_SECOND_GOALS[family]
      const [many] = taken
      return taken.map(({ name, perSecond, line, rates, refused }): Figure => {
        const isMet = perSecond >= goalRate && refused === 0 && fate.isEveryOneConfirmed
        const goal = { text: `>= ${goalRate}/s, every one confirmed`, isMet }
        return {
          bench: family,
          what: name,
          ...line,
          ratio: perSecond / (many?.perSecond ?? Number.NaN),
          ...(name === many?.name ? { goal } : {}),
          more: { rates, refused, ...fate },
        }
      })
    },
  }
}

async function fateOf({ database }: Installation, senders: readonly string[], answered: number) {
  const counts = await database.whenConfirmed(senders)
  const confirmed = (counts.get('confirmed') ?? 0) + (counts.get('settled') ?? 0)
  return {
    answered,
    confirmed,
    statuses: Object.fromEntries(counts),
    isEveryOneConfirmed: confirmed === answered && counts.size > 0 && !counts.has('failed'),
  }
}
