import { afterAll, beforeAll, expect, test } from 'vitest'
import { NodeFailure } from '../chains/chain.ts'
import type { Address } from '../chains/chain.ts'
import { openLog } from '../kernel/log.ts'
import { makeWallet, testNetwork, TOKEN } from '../payments/test-lane.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { openStore } from '../store/postgres.ts'
import type { Store } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { findOnChain } from './chain.ts'

const WALLETS = 500
const config = testNetwork(4_000_020)

let database: TestDatabase
/** The service itself writes no balance without its entries. */
let owner: Store
beforeAll(async () => {
  database = await openTestDatabase()
  owner = openStore({ url: database.ownerUrl, log: openLog('silent'), role: null })
})
afterAll(async () => {
  await owner.close()
  await database.close()
})

test('every idle wallet has on chain what the books say, however many there are', async () => {
  const { accountId } = await makeWallet(database.store)
  const made = await owner.inTransaction('service', (tx) =>
    tx.query<{ address: string }>(
      'test_many',
      `with made as (
         insert into wallets (id, account_id, family, address, sealed_data_key, sealed_private_key)
         select 'wal_' || translate(lpad(n::text, 22, 'z'), '0', 'A'), $1, 'evm', '0x' || lpad(n::text, 40, '0'), '', '' from generate_series(1, $4::integer) as n
         returning id, address
       ), booked as (
         insert into ledger_accounts (account_id, wallet_id, network, asset, kind, balance)
         select $1, id, $2, asset, 'available', 5 from made, unnest(array['native', $3]) as asset
       ) select address from made order by address`,
      [accountId, config.network, TOKEN, WALLETS],
    ),
  )
  const short = new Set([0, WALLETS / 2, WALLETS - 1].map((index) => made[index]?.address))
  const asked: string[] = []
  const chain = scriptedChain(config, {
    parseAddress: (text) => text as Address,
    balances: async (address, assets) => {
      asked.push(address)
      const units = ({ asset }: { asset: string }) =>
        asset !== 'native' && short.has(address) ? 4n : 5n
      return { height: 9n, amounts: assets.map(units) }
    },
  })
  const invariant = 'an idle wallet has on chain what the books say'
  const findings = [...short].map((address) => ({ invariant, subject: `${address} ${TOKEN}` }))
  expect(await findOnChain(database.store, chain)).toEqual({ findings, unasked: [] })
  // Both assets of a wallet are one question.
  expect(asked).toHaveLength(WALLETS)
})

test('a token that no node tells hides no other, and is named', async () => {
  const gone = scriptedChain(config, {
    parseAddress: (text) => text as Address,
    balances: async (_, assets) => {
      if (assets.some(({ asset }) => asset === TOKEN)) throw new NodeFailure('0 bytes')
      return { height: 9n, amounts: assets.map(() => 4n) }
    },
  })
  const invariant = 'an idle wallet has on chain what the books say'
  const { findings, unasked } = await findOnChain(database.store, gone)
  expect(unasked).toEqual([`no node tells what wallets have of ${TOKEN}`])
  expect(findings).toHaveLength(WALLETS)
  expect(findings[0]).toMatchObject({ invariant, subject: expect.stringContaining(' native') })
  const away = { ...gone, balances: () => Promise.reject(new NodeFailure('nobody answers')) }
  expect(await findOnChain(database.store, away)).toEqual({
    findings: [],
    unasked: ['nobody answers'],
  })
})
