import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { appointSettler } from '@florin/server/facilitator/settler-store.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import type { Log } from '@florin/server/kernel/log.ts'
import { makeWallet } from '@florin/server/payments/test-lane.ts'
import { openFoundPlace } from '@florin/server/sender/test-found.ts'
import { openStore } from '@florin/server/store/postgres.ts'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runDoctor } from './doctor.ts'
import { sayUnsettled } from './serve/say-unsettled.ts'
import { readNetworksFile } from './up/networks.ts'

const SOUND = 'Every invariant holds in what could be asked.'
let database: TestDatabase
const directory = mkdtempSync(join(tmpdir(), 'florin-doctor-'))
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(async () => {
  rmSync(directory, { recursive: true })
  await database.close()
})

/** Networks whose nodes are away. */
const networksFile = join(directory, 'networks.json')
const example = readFileSync(join(import.meta.dirname, '../../networks.example.json'), 'utf8')
writeFileSync(
  networksFile,
  example.replaceAll(/https:\/\/\w+\.node-\w+\.example/g, 'http://127.0.0.1:1'),
)

async function doctor(...args: readonly string[]): Promise<{ code: number; text: string }> {
  return await doctorOf({}, args)
}

async function doctorOf(
  more: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<{ code: number; text: string }> {
  let text = ''
  const code = await runDoctor({
    args,
    environment: { FLORIN_DATA_DIR: directory, DATABASE_URL: database.url.reveal(), ...more },
    print: (part) => {
      text += part
    },
    note: () => undefined,
  })
  return { code, text }
}

test('florin doctor may take longer for one look than a request may', async () => {
  const owner = openStore({ url: database.ownerUrl, log: openLog('silent'), role: null })
  const run = (name: string, text: string) =>
    owner.inTransaction('service', (tx) => tx.query(name, text))
  await run('test_move', 'alter table payment_tallies rename to real_tallies')
  try {
    // Stands for a table that takes longer to read than a statement of the service may.
    await run(
      'test_time',
      `create function takes_a_minute() returns boolean language plpgsql as $$
       begin
         if current_setting('statement_timeout')::interval <= '1 minute' then
           raise query_canceled using message = 'canceling statement due to statement timeout';
         end if;
         return true;
       end $$`,
    )
    await run(
      'test_view',
      'create view payment_tallies as select * from (select takes_a_minute() as is_read) t, real_tallies where is_read',
    )
    await run('test_add', `insert into real_tallies values ('n', 'sent', 'pending', 0, 0)`)
    await run('test_grant', 'grant select on payment_tallies to florin_service')
    expect((await doctor()).text).toContain(SOUND)
  } finally {
    await run('test_undo', 'drop view if exists payment_tallies')
    await run('test_back', 'alter table real_tallies rename to payment_tallies')
    await run('test_clear', `delete from payment_tallies where network = 'n'`)
    await owner.close()
  }
})

test('florin doctor that knows of no network has asked no chain, and does not call all sound', async () => {
  const { code, text } = await doctor()
  expect(code).toBe(1)
  expect(text).toMatch(
    /^Every invariant holds in what could be asked.\nnot known, .*FLORIN_NETWORKS/,
  )
  const json = await doctor('--json')
  expect(json.code).toBe(1)
  expect(JSON.parse(json.text)).toMatchObject({
    findings: [],
    unasked: [expect.stringContaining('FLORIN_NETWORKS')],
  })
})

test('florin doctor ends with 1 while something waits for a person', async () => {
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

test('florin doctor and florin serve name each network on which no wallet settles, and the command for it', async () => {
  const command = 'florin wallets settle ADDRESS'
  const [base, solana] = ['eip155:8453', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp']
  const networks = await readNetworksFile(networksFile)
  const said = async () => {
    const { text } = await doctorOf({ FLORIN_NETWORKS: networksFile })
    const { text: json } = await doctorOf({ FLORIN_NETWORKS: networksFile }, ['--json'])
    const warned: unknown[] = []
    const log = { warn: (facts: unknown) => void warned.push(facts) } as Partial<Log> as Log
    await sayUnsettled({ store: database.store, log }, networks)
    return {
      lines: text.split('\n').filter((line) => line.startsWith('not settled: ')),
      unsettled: (JSON.parse(json) as { unsettled: unknown }).unsettled,
      warned,
    }
  }
  const none = await said()
  expect(none.unsettled).toEqual([base, solana])
  expect(none.lines).toHaveLength(2)
  for (const [at, network] of [base, solana].entries()) {
    expect(none.lines[at]).toContain(`on ${network},`)
    expect(none.lines[at]).toContain(command)
    expect(none.warned[at]).toMatchObject({ network, reason: expect.stringContaining(command) })
  }
  const { id } = await makeWallet(database.store)
  await database.store.inTransaction('service', (tx) => appointSettler(tx, id, 0))
  const one = await said()
  expect(one).toMatchObject({ unsettled: [solana], warned: [{ network: solana }] })
  expect(one.lines).toHaveLength(1)
})
