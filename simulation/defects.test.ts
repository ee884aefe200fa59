import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { defects } from './defects.ts'
import { exchange } from './plant.ts'
import { findDefect } from './test-defects.ts'

const WORLDS_MAX = Number(process.env['BOUND'] ?? 60)

test('every defect still fits the code that it is planted in', () => {
  for (const { name, changes } of defects) {
    for (const change of changes) {
      const path = new URL(`../server/src/${change.module}`, import.meta.url)
      expect(() => exchange(readFileSync(path, 'utf8'), change, name)).not.toThrow()
    }
  }
})

const only = process.env['DEFECT']
test.each(defects.filter(({ name }) => only === undefined || name.includes(only)))(
  'the simulation finds that $name',
  { timeout: 180_000 },
  async (defect) => {
    const t0 = performance.now()
    // The seed that found it last comes first; the code may have changed since, so the search goes on.
    const found = await findDefect(
      defect,
      Array.from({ length: WORLDS_MAX }, (_, index) => index + 1),
    )
    process.stderr.write(
      `${found?.worlds ?? 'NOT FOUND'} ${found?.seed} ${Math.round(performance.now() - t0)} ms: ${defect.name}: ${found?.message.slice(0, 150)}\n`,
    )
    expect(found).toBeDefined()
  },
)
