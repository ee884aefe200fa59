import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { expect } from 'vitest'
import type { WorldReport } from './run-world.ts'
import { openSeries, runSeeds } from './series.ts'

/** One for each core of a small machine. */
const THREADS = 2

/** Lives through worlds and expects every promise to be kept; a broken one is told with the seed that shows it again. */
export async function expectKept(seeds: readonly number[]): Promise<void> {
  const broken: WorldReport[] = []
  let steps = 0
  let payments = 0
  await runSeeds(seeds, {
    threads: THREADS,
    onReport: (report) => {
      steps += report.steps
      payments += report.payments
      if (report.broken !== undefined) broken.push(report)
    },
  })
  const [first = 0] = seeds
  process.stderr.write(
    `simulation: ${seeds.length} worlds from seed ${first}, ${steps} steps, ${payments} payments\n`,
  )
  const [worst] = broken.sort((one, other) => one.steps - other.steps)
  if (worst !== undefined) await tell(worst.seed)
  expect(broken.map(({ seed, broken: found }) => `seed ${seed}: ${found?.message}`)).toEqual([])
}

/** Lives through a world once more and writes down all that happens in it. */
export async function tell(seed: number): Promise<WorldReport> {
  const series = await openSeries()
  try {
    const report = await series.run(seed, true)
    const path = join(tmpdir(), `florin-world-${seed}.txt`)
    writeFileSync(path, `${report.trace.join('\n')}\n`)
    process.stderr.write(`simulation: seed ${seed} is written down in ${path}\n`)
    return report
  } finally {
    await series.stop()
  }
}
