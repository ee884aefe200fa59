import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressFromBytes } from '../chains/evm/account.ts'
import { testNetwork } from '../chains/evm/test-network.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { write } from '../store/test-write.ts'
import { lockLane } from './lane-store.ts'
import { placeIn } from './test-release.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test('what an earlier version filled and is not final becomes one that bears its own fee, and nothing else does', async () => {
  const { store } = database
  const { network } = testNetwork([])
  const address = addressFromBytes(new Uint8Array(20).fill(7))
  await store.inTransaction('service', (tx) => lockLane(tx, network, address, 9n))
  const paymentId = newId(systemRandom, 'pay')
  const place = { network, address, state: 'open' as const, paymentId: null }
  for (const nonce of [0n, 1n, 2n, 4n]) await placeIn(store, { ...place, nonce })
  await placeIn(store, { ...place, nonce: 3n, paymentId })
  const change = (name: string, sql: string, ...values: readonly string[]) =>
    write(store, name, `update chain_transactions set ${sql} where lane_address = $1`, [
      ...[address, ...values],
    ])
  await change('test_before', 'before_payment = case when nonce = 1 then $2 end', paymentId)
  await change(
    'test_final',
    `state = case nonce when 0 then 'final' when 2 then 'mined' else 'open' end,
     mined_hash = case when nonce in (0, 2) then 'x' end`,
  )
  // The last one is an allowance.
  await write(
    store,
    'test_signed',
    `insert into attempts (chain_transaction_id, number, network, hash, raw, terms, created_at)
     select id, 1, network, nonce, '', json_build_object('to', case nonce when 4 then '0xa' else lane_address end, 'value', '0'), now()
     from chain_transactions where lane_address = $1`,
    [address],
  )
  const file = new URL('../../migrations/000056_gap_fillings.sql', import.meta.url)
  const [, statement] = (await readFile(file, 'utf8')).split(/^grant .*$/mu)
  await write(store, 'test_migrate', statement ?? '')
  const filled = await store.query<{ nonce: string; before_payment: string | null }>(
    'test_filled',
    `select nonce, before_payment, booked_fee from gap_fillings join chain_transactions on id = chain_transaction_id order by nonce`,
  )
  expect(filled).toEqual(
    ['1', '2'].map((nonce) => ({ nonce, before_payment: null, booked_fee: null })),
  )
})
