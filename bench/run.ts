import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { batching, batchingBuilds } from './batching.ts'
import { builds } from './builds.ts'
import type { Bench, BenchContext, BenchOptions } from './bench.ts'
import { dashboard } from './dashboard.ts'
import { fanOut } from './fan-out.ts'
import type { Figure } from './figures.ts'
import { history } from './history.ts'
import { startInstallation } from './installation.ts'
import type { Installation } from './installation.ts'
import { describeMachine } from './machine.ts'
import { marketStream } from './market-stream.ts'
import { memory } from './memory.ts'
import { overload } from './overload.ts'
import { overview } from './overview.ts'
import { quotes } from './quotes.ts'
import { sends } from './sends.ts'
import { sockets } from './sockets.ts'
import { start } from './start.ts'
import { status } from './status.ts'
import { tableOf } from './table.ts'
import { x402 } from './x402.ts'
import { x402Batch } from './x402-batch.ts'

/** In the order in which they run: the quick and quiet ones first. */
const BENCHES: readonly Bench[] = [
  start,
  dashboard,
  status,
  quotes,
  marketStream,
  sends('evm'),
  sends('solana'),
  builds('evm'),
  builds('solana'),
  batching,
  batchingBuilds,
  history,
  overview,
  fanOut,
  sockets,
  ...x402,
  x402Batch,
  overload,
  memory,
]
const BOUNDS = {
  seconds: { default: 8, max: 300 },
  rounds: { default: 3, max: 20 },
  minutes: { default: 1, max: 60 },
  payments: { default: 1_000_000, max: 10_000_000 },
} as const

const HELP = `npm run bench -- [NAME ...] [--json FILE] [--seconds N] [--rounds N] [--minutes N] [--payments N] [--profile FOLDER]

Measures this checkout on this machine, on the loopback, with everything of its own. Without names all of:
${BENCHES.map(({ name, about }) => `  ${name.padEnd(13)} ${about}`).join('\n')}

  --json FILE   write all figures there
  --seconds N   of each measured load (${BOUNDS.seconds.default})
  --rounds N    in which variants take turns; the median round counts (${BOUNDS.rounds.default})
  --minutes N   of load while memory is watched (${BOUNDS.minutes.default}; the goal is about 10)
  --payments N  in the history (${BOUNDS.payments.default})
  --profile FOLDER  of the shared installation's processes, for Chrome's developer tools
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'string' },
    seconds: { type: 'string' },
    rounds: { type: 'string' },
    minutes: { type: 'string' },
    payments: { type: 'string' },
    profile: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
})

function bounded(name: keyof typeof BOUNDS): number {
  const given = Number(values[name] ?? BOUNDS[name].default)
  if (given > 0 && given <= BOUNDS[name].max) return given
  throw new Error(`--${name} must be a number up to ${BOUNDS[name].max}`)
}

function chosen(): readonly Bench[] {
  const unknown = positionals.filter((name) => BENCHES.every((bench) => bench.name !== name))
  if (unknown.length > 0) throw new Error(`no such bench: ${unknown.join(', ')}\n\n${HELP}`)
  return BENCHES.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
}

/** Each process of the shared installation then leaves a `.cpuprofile` of its whole life, which costs it some speed. */
function profiling(): Readonly<Record<string, string>> {
  if (values.profile === undefined) return {}
  return { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${JSON.stringify(resolve(values.profile))}` }
}

async function main(): Promise<number> {
  if (process.platform !== 'linux') throw new Error('benches read /proc: they run on Linux only')
  const options: BenchOptions = {
    seconds: bounded('seconds'),
    rounds: bounded('rounds'),
    minutes: bounded('minutes'),
    payments: bounded('payments'),
  }
  const benches = chosen()
  const closers: (() => Promise<void>)[] = []
  let shared: Promise<Installation> | undefined
  const context: BenchContext = {
    options,
    note: (text) => process.stderr.write(`${text}\n`),
    defer: (close) => closers.push(close),
    installation: () => {
      shared ??= startInstallation(profiling()).then((installation) => {
        closers.push(installation.stop)
        return installation
      })
      return shared
    },
  }
  const interrupted = Promise.withResolvers<never>()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => interrupted.reject(new Error(`ended by ${signal}`)))
  }
  const before = describeMachine()
  const figures: Figure[] = []
  const failures: { bench: string; reason: string }[] = []
  try {
    for (const bench of benches) {
      context.note(`${bench.name}: ${bench.about}`)
      const running = bench.run(context).then(
        (taken) => void figures.push(...taken),
        (error: unknown) => {
          const reason = error instanceof Error ? error.message : String(error)
          failures.push({ bench: bench.name, reason })
          context.note(`${bench.name} failed: ${reason}`)
        },
      )
      await Promise.race([running, interrupted.promise])
    }
  } finally {
    for (const close of closers.toReversed()) {
      await close().catch((error: unknown) =>
        context.note(`did not stop cleanly: ${String(error)}`),
      )
    }
  }
  process.stdout.write(`\n${tableOf(figures)}\n${before.cores} cores, ${before.processor}, `)
  process.stdout.write(`Node ${before.node}; load before: ${before.load.join(', ')}\n`)
  for (const { bench, reason } of failures) process.stdout.write(`FAILED ${bench}: ${reason}\n`)
  if (values.json !== undefined) {
    const after = describeMachine()
    const text = JSON.stringify({ machine: { before, after }, options, figures, failures }, null, 1)
    await writeFile(values.json, `${text}\n`)
  }
  return failures.length > 0 ? 1 : 0
}

if (values.help === true) process.stdout.write(HELP)
else process.exitCode = await main()
