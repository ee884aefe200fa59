import type { Defect } from './defects.ts'
import { openSeries } from './series.ts'

/** Plants a defect and lives through worlds until one breaks a promise; undefined when none of the seeds does. */
export async function findDefect(
  { name }: Defect,
  seeds: Iterable<number>,
): Promise<
  { readonly seed: number; readonly worlds: number; readonly message: string } | undefined
> {
  const series = await openSeries({ defect: name })
  let worlds = 0
  try {
    for (const seed of seeds) {
      worlds += 1
      const { broken } = await series.run(seed)
      if (broken !== undefined) return { seed, worlds, message: broken.message }
    }
    return undefined
  } finally {
    await series.stop()
  }
}
