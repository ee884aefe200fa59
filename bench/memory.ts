import { setTimeout as delay } from 'node:timers/promises'
import type { Bench } from './bench.ts'
import { median } from './figures.ts'
import { OUTSIDERS, sendsFrom, startInstallation } from './installation.ts'
import { runLoad } from './load/run-load.ts'
import { memoryOf } from './processes.ts'

// Long enough that a heap that only grows is seen.
const IDLE_SECONDS = 45
const IDLE_GOAL_MEGABYTES = 180
const SAMPLE_MILLISECONDS = 1_000
/** Shorter than this a heap has not come to rest, and its growth is told without a verdict. */
const GOAL_MINUTES = 10
/** Growth within it is the breath of the garbage collector. */
const GROWTH_GOAL = 0.05
const MEGABYTE = 1e6

interface Sample {
  readonly seconds: number
  readonly megabytes: number
}

/** Resident memory of a fresh service: idle, and under steady reads and sends on both chains. */
export const memory: Bench = {
  name: 'memory',
  about: 'resident memory of the service, idle and under load (--minutes)',
  run: async ({ options: { minutes }, note, defer }) => {
    const place = await startInstallation()
    defer(place.stop)
    await delay(IDLE_SECONDS * 1000)
    const { resident, ownPages } = await memoryOf(place.pid)
    const idle = resident / MEGABYTE
    note(`idle: ${idle.toFixed(0)} MB, ${(ownPages / MEGABYTE).toFixed(0)} MB of it not of files`)

    const wallets = {
      evm: await place.newWallets('evm', 2),
      solana: await place.newWallets('solana', 2),
    }
    const samples: Sample[] = []
    const began = performance.now()
    const sampling = setInterval(() => {
      void memoryOf(place.pid).then(({ resident: now }) =>
        samples.push({
          seconds: (performance.now() - began) / 1000,
          megabytes: now / MEGABYTE,
        }),
      )
    }, SAMPLE_MILLISECONDS)
    const { baseUrl, apiKey } = place
    const report = await runLoad({
      baseUrl,
      apiKey,
      callers: 8,
      requests: [
        ...sendsFrom(wallets.evm, OUTSIDERS.evm),
        ...sendsFrom(wallets.solana, OUTSIDERS.solana),
        { method: 'GET', path: '/networks' },
        { method: 'GET', path: '/wallets' },
        { method: 'GET', path: `/payment/history/${wallets.evm[0]}?limit=10` },
        { method: 'GET', path: `/payment/history/${wallets.solana[0]}?limit=10` },
      ],
      warmUpSeconds: 0,
      seconds: minutes * 60,
      // A load that a chain of one process stands for minutes: about 40 requests a second, half of them payments.
      pauseMilliseconds: 150,
    }).finally(() => clearInterval(sampling))
    if (report.firstRefusal !== null) throw new Error(`refused: ${report.firstRefusal}`)

    const [early, late] = [partOf(samples, 0.2), partOf(samples, 0.8)]
    const growth = late / early - 1
    const isLongEnough = minutes >= GOAL_MINUTES
    const told = `${early.toFixed(0)} to ${late.toFixed(0)} MB (${(growth * 100).toFixed(1)} %)`
    return [
      {
        bench: 'memory',
        what: `idle for ${IDLE_SECONDS} s`,
        value: `${idle.toFixed(0)} MB`,
        goal: { text: `<= ${IDLE_GOAL_MEGABYTES} MB`, isMet: idle <= IDLE_GOAL_MEGABYTES },
        more: { ownMegabytes: ownPages / MEGABYTE },
      },
      {
        bench: 'memory',
        what: `${minutes} min, ${(report.answeredInAll / report.seconds).toFixed(0)} requests/s`,
        value: told,
        ratio: late / early,
        ...(isLongEnough
          ? { goal: { text: 'no growth (5 %)', isMet: growth <= GROWTH_GOAL } }
          : {}),
        more: { answered: report.answeredInAll, samples },
      },
    ]
  },
}

/** The median of a fifth of the samples that begins at this part of them. */
function partOf(samples: readonly Sample[], from: number): number {
  const [start, end] = [from, from + 0.2].map((part) => Math.floor(samples.length * part))
  return median(samples.slice(start, end).map(({ megabytes }) => megabytes))
}
