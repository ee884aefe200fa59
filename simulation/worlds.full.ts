import { test } from 'vitest'
import { expectKept } from './test-worlds.ts'

const COUNT = Number(process.env['FLORIN_SIMULATION_SEEDS'] ?? 3_000)

test(
  `every promise is kept in ${COUNT} worlds that nobody has seen before`,
  { timeout: COUNT * 2_000 },
  async () => {
    const first = Math.floor(Math.random() * 2 ** 30)
    process.stderr.write(`simulation: seeds from ${first}\n`)
    await expectKept(Array.from({ length: COUNT }, (_, index) => first + index))
  },
)
