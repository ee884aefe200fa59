import { test } from 'vitest'
import { expectKept } from './test-worlds.ts'

/** Beyond those of the short form; `FLORIN_SIMULATION_SEEDS` asks for more, from a seed by chance. */
const COUNT = 600
const FIRST = 100_000
const ASKED = process.env['FLORIN_SIMULATION_SEEDS']

test(
  `every promise is kept in ${ASKED ?? COUNT} more worlds`,
  { timeout: Math.max(600_000, Number(ASKED ?? COUNT) * 2_000) },
  async () => {
    const first = ASKED === undefined ? FIRST : Math.floor(Math.random() * 2 ** 30)
    process.stderr.write(`simulation: seeds from ${first}\n`)
    await expectKept(Array.from({ length: Number(ASKED ?? COUNT) }, (_, index) => first + index))
  },
)
