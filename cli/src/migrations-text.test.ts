import { expect, test } from 'vitest'
import { migrationsText } from './migrations-text.ts'

test.each([
  [['000001_a.sql'], 'one migration: 000001_a.sql'],
  [['000001_a.sql', '000002_b.sql'], '2 migrations: 000001_a.sql to 000002_b.sql'],
  [['1', '2', '3', '4'], '4 migrations: 1 to 4'],
])('however many migrations there are, the first and the last are named: %j', (names, text) => {
  expect(migrationsText(names)).toBe(text)
})
