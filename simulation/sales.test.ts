import { test } from 'vitest'
import { SALE_SEEDS_FROM } from './plan.ts'
import { expectKept } from './test-worlds.ts'

const COUNT = 150

test(`every promise to sellers is kept in ${COUNT} worlds`, { timeout: COUNT * 4_000 }, () =>
  expectKept(Array.from({ length: COUNT }, (_, index) => SALE_SEEDS_FROM + index)),
)
