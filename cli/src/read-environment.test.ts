import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readEnvironment } from './read-environment.ts'

const directory = mkdtempSync(join(tmpdir(), 'florin-env-'))
afterAll(() => rmSync(directory, { recursive: true }))

async function read(...lines: readonly string[]) {
  writeFileSync(join(directory, '.env'), lines.join('\n'))
  return await readEnvironment({}, directory)
}

test('a line of .env that sets nothing is told by its number and never by its text', async () => {
  const { environment, remarks } = await read('FLORIN_PORT 4021', 'FLORIN_HOST=::1', 'canary')
  expect(remarks).toEqual([
    'Line 1 of .env is not NAME=value, and is ignored.',
    'Line 3 of .env is not NAME=value, and is ignored.',
  ])
  expect(environment).toEqual({ FLORIN_HOST: '::1' })
})

test('what sets something, and what says nothing, is not told', async () => {
  const { environment, remarks } = await read(
    '# a remark',
    '',
    '  # another',
    'export FLORIN_PORT=1',
    'FLORIN_KEY="first',
    'second',
    'third"',
    'FLORIN_HOST=',
    "FLORIN_DATA_DIR = 'a b'\r",
    '\r',
  )
  expect(remarks).toEqual([])
  expect(environment).toMatchObject({ FLORIN_KEY: 'first\nsecond\nthird', FLORIN_PORT: '1' })
})
