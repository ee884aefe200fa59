import { expect, test } from 'vitest'
import { defects } from './defects.ts'
import { openSeries } from './series.ts'

const only = process.env['DEFECT']
for (const { name } of defects.filter((d) => only === undefined || d.name.includes(only))) {
  test(name, { timeout: 120_000 }, async () => {
    const series = await openSeries({ defect: name })
    let found: string | undefined
    let seed = 0
    const t0 = performance.now()
    try {
      while (found === undefined && seed < Number(process.env['BOUND'] ?? 60)) {
        seed += 1
        found = (await series.run(seed)).broken?.message
      }
    } finally {
      await series.stop()
    }
    process.stderr.write(
      `${found === undefined ? 'NOT FOUND' : 'found'} after ${seed} seeds ${Math.round(performance.now() - t0)} ms: ${name}: ${found?.slice(0, 200)}\n`,
    )
    expect(found).toBeDefined()
  })
}
