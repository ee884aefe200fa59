import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFoundPlace } from '@florin/server/sender/test-found.ts'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runDoctor } from './doctor.ts'

let database: TestDatabase
const directory = mkdtempSync(join(tmpdir(), 'florin-doctor-'))
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(async () => {
  rmSync(directory, { recursive: true })
  await database.close()
})

async function doctor(...args: readonly string[]): Promise<{ code: number; text: string }> {
  let text = ''
  const code = await runDoctor({
    args,
    environment: { FLORIN_DATA_DIR: directory, DATABASE_URL: database.url.reveal() },
    print: (part) => {
      text += part
    },
    note: () => undefined,
  })
  return { code, text }
}

test('florin doctor ends with 0 when all is sound, and with 1 while something waits for a person', async () => {
  expect(await doctor()).toEqual({
    code: 0,
    text: 'Every invariant holds in what could be asked.\n',
  })
  const place = await openFoundPlace(database.store, 5_000_001)
  await place.look('one.example', Date.UTC(2026, 0, 1))
  const { code, text } = await doctor()
  expect(code).toBe(1)
  const { hash, laneAddress, nonce } = place.attempt
  const row = [place.network, laneAddress, String(nonce), hash, 'one.example', '2026-01-01T00:00']
  const line = text.split('\n').find((candidate) => candidate.includes(hash))
  for (const cell of row) expect(line).toContain(cell)
  expect(text).toContain('Look at these')
  const json = await doctor('--json')
  expect(json.code).toBe(1)
  expect(JSON.parse(json.text)).toMatchObject({
    findings: [],
    lookAt: [{ hash, nodes: ['one.example'] }],
  })
})
