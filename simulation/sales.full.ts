import { test } from 'vitest'
import { SALE_SEEDS_FROM } from './plan.ts'
import { expectKept } from './test-worlds.ts'

/** Beyond those of the short form. */
const COUNT = 500
const FIRST = SALE_SEEDS_FROM + 100_000

test(`every promise to sellers is kept in ${COUNT} more worlds`, { timeout: COUNT * 4_000 }, () =>
  expectKept(Array.from({ length: COUNT }, (_, index) => FIRST + index)),
)
