import type { Bench } from './bench.ts'
import type { Figure } from './figures.ts'
import { quantilesOf } from './figures.ts'
import { OUTSIDERS, sendsFrom } from './installation.ts'
import type { Family, Installation } from './installation.ts'
import type { PlannedRequest } from './load/plan.ts'
import { runLoad } from './load/run-load.ts'
import { memoryOf } from './processes.ts'

/** Some ten times what answers in time; all of them come at once, and ask again as soon as they are answered. */
const CALLERS = { evm: 3_000, solana: 600, readers: 400 } as const
const WALLETS = 10
const RECOVERY_GOAL_SECONDS = 10
/** After the load, at most so many lone payments until one is quick again. */
const LONE_PAYMENTS_MAX = 100
const QUICK_MILLISECONDS = 1_500
const SAMPLE_MILLISECONDS = 500
const MEGABYTE = 1e6
/** What somebody who comes to a full house may be told. */
const POLITE = new Set(['429', '503'])

/** Ten times too many callers at once, then a lone one: everything that was answered as made is in the books, and nothing else. */
export const overload: Bench = {
  name: 'overload',
  about: `${CALLERS.evm + CALLERS.solana + CALLERS.readers} callers at once on both chains (--seconds), and how soon a lone payment is quick again`,
  run: async ({ installation, options: { seconds }, note }) => {
    const place = await installation()
    const wallets = {
      evm: await place.newWallets('evm', WALLETS),
      solana: await place.newWallets('solana', WALLETS),
    }
    let peak = 0
    const { baseUrl, apiKey } = place
    const looks: boolean[] = []
    const sampling = setInterval(() => {
      void memoryOf(place.pid).then(({ resident }) => (peak = Math.max(peak, resident)))
      void fetch(`${baseUrl}/health/ready`).then(
        ({ ok }) => looks.push(ok),
        () => looks.push(false),
      )
    }, SAMPLE_MILLISECONDS)
    const load = (callers: number, requests: readonly PlannedRequest[]) =>
      runLoad({ baseUrl, apiKey, callers, requests, warmUpSeconds: 0, seconds })
    const sends = (family: Family) =>
      load(CALLERS[family], sendsFrom(wallets[family], OUTSIDERS[family]))
    const reports = await Promise.all([
      sends('evm'),
      sends('solana'),
      load(CALLERS.readers, [
        { method: 'GET', path: '/payments?limit=20' },
        { method: 'GET', path: '/networks' },
      ]),
    ]).finally(() => clearInterval(sampling))
    note('the load is over')
    const recovery = await recoveryOf(place, wallets)
    const [evm, solana, readers] = reports
    const told = evm.answeredInAll + solana.answeredInAll + recovery.payments
    const counts = await place.database.whenConfirmed([...wallets.evm, ...wallets.solana])
    const made = [...counts.values()].reduce((sum, count) => sum + count, 0)
    const line = (what: string, report: (typeof reports)[number]): Figure => ({
      bench: 'overload',
      what,
      perSecond: report.milliseconds.length / report.seconds,
      milliseconds: quantilesOf(report.milliseconds),
      goal: {
        text: 'refused by 429 and 503 only',
        isMet: Object.keys(report.refused).every((status) => POLITE.has(status)),
      },
      more: { refused: report.refused, firstRefusal: report.firstRefusal },
    })
    return [
      line(`EVM sends, ${CALLERS.evm} callers, ${WALLETS} wallets`, evm),
      line(`Solana sends, ${CALLERS.solana} callers, ${WALLETS} wallets`, solana),
      line(`reads, ${CALLERS.readers} callers`, readers),
      {
        bench: 'overload',
        what: 'payments told as made, and in the books',
        value: `${told} and ${made}`,
        goal: { text: 'the same, none failed', isMet: told === made && !counts.has('failed') },
        more: Object.fromEntries(counts),
      },
      {
        bench: 'overload',
        what: 'looks at /health/ready meanwhile',
        value: `ready in ${looks.filter(Boolean).length} of ${looks.length}`,
        goal: { text: 'in all', isMet: looks.every(Boolean) },
      },
      {
        bench: 'overload',
        what: 'after it, until a lone payment on each chain is quick',
        value: `${recovery.seconds.toFixed(1)} s`,
        goal: {
          text: `<= ${RECOVERY_GOAL_SECONDS} s`,
          isMet: recovery.seconds <= RECOVERY_GOAL_SECONDS,
        },
      },
      {
        bench: 'overload',
        what: 'memory of the service at its most',
        value: `${(peak / MEGABYTE).toFixed(0)} MB`,
      },
    ]
  },
}

/** Pays on each chain, one after the other, until both together took less than `QUICK_MILLISECONDS`. */
async function recoveryOf(
  { client }: Installation,
  wallets: Readonly<Record<Family, readonly string[]>>,
): Promise<{ readonly seconds: number; readonly payments: number }> {
  const over = performance.now()
  let payments = 0
  for (let count = 0; count < LONE_PAYMENTS_MAX; count += 1) {
    const began = performance.now()
    for (const family of ['evm', 'solana'] as const) {
      const { status } = await client.post('/payment/send', {
        walletAddress: wallets[family][0],
        recipientAddress: OUTSIDERS[family],
        amount: 0.001,
        waitFor: 'confirmed',
      })
      if (status === 200) payments += 1
    }
    if (performance.now() - began < QUICK_MILLISECONDS) break
  }
  return { seconds: (performance.now() - over) / 1000, payments }
}
