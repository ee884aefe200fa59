import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { solanaSandboxNetwork } from '@florin/cli/up/sandbox-network.ts'
import { paymentFact } from '../events/test-facts.ts'
import { NodeFailure } from '../chains/chain.ts'
import { findInBooks } from '../doctor/books-store.ts'
import type { Clock } from '../kernel/clock.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { openPaymentBook } from '../payments/advance.ts'
import { openDepositBook } from '../payments/deposits.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openBroadcaster } from './broadcast.ts'
import { closeFinalBlocks } from './finalize.ts'
import { ChainMoved, followBlocks } from './follow.ts'
import type { Cursor } from './follower-store.ts'
import { beginFollowing, takeLease } from './follower-store.ts'
import { rebroadcast } from './rebroadcast.ts'
import type { DeadAttempts } from './dead-attempts.ts'
import { rebuildExpired } from './rebuild.ts'
import { EXPIRING_SENDER, openExpiringChain } from './test-expiring-chain.ts'

const WORLDS = 20
const PLACES = 100
const STEPS_MAX = 400
const LEASE_MILLISECONDS = 3_600_000

const log = openLog('silent')
const killPoint = () => undefined

describe(`${WORLDS * PLACES} schedules of expiry`, () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await openTestDatabase()
  })
  afterAll(() => database.close())

  test.each(Array.from({ length: WORLDS }, (_, world) => world))(
    'world %i: every payment has exactly one effect, whatever lands late, forks away or is not found',
    { timeout: 120_000 },
    async (world) => {
      const seed = Math.floor(Math.random() * 2 ** 31)
      process.stderr.write(`expiry world ${world}: seed ${seed}\n`)
      const chance = chanceOf(seed)
      const config = solanaSandboxNetwork({
        instance: 'model',
        solana: {
          network: `solana:${String.fromCharCode(65 + world)
            .replace('I', 'Z')
            .replace('O', 'Y')}${'1'.repeat(31)}`,
          rpcUrl: 'http://127.0.0.1:1',
          wsUrl: 'ws://127.0.0.1:1',
          usdc: '1',
        },
      })
      const { network } = config
      const { store } = database
      let now = 1_700_000_000_000
      const clock: Clock = { nowMilliseconds: () => now, sleep: async () => undefined }
      const model = openExpiringChain(config, chance)
      const { chain } = model
      const book = openPaymentBook({ clock })
      const broadcaster = openBroadcaster({
        chains: new Map([[network, chain]]),
        store,
        clock,
        log,
        killPoint,
      })
      const signer = {
        address: EXPIRING_SENDER,
        sign: async () => new Uint8Array(64),
        erase: () => undefined,
      }
      const deps = {
        chain,
        store,
        book,
        deposits: openDepositBook({ clock, random: systemRandom }),
        broadcaster,
        clock,
        log,
        killPoint,
        signerOf: async () => signer,
      }

      const [first] = await chain.blocks(BigInt(model.finalized()), 1)
      if (first === undefined || chain.renewal.kind !== 'lifetime') throw new Error('no model')
      const { renewal } = chain
      await store.inTransaction('service', (tx) => beginFollowing(tx, network, first))
      const lease = await store.inTransaction('service', (tx) =>
        takeLease(tx, network, 'model', LEASE_MILLISECONDS),
      )
      if (lease === undefined) throw new Error('no lease')
      let cursor: Cursor = lease
      const heard: DeadAttempts = new Map()
      await openPlaces(database, network, world)

      const open = async () => {
        const rows = await store.query<{ open: string }>(
          'model_open',
          `select count(*) as open from payments where network = $1 and status not in ('settled', 'failed')`,
          [network],
        )
        return Number(rows[0]?.open)
      }
      for (let step = 0; step < STEPS_MAX && (await open()) > 0; step += 1) {
        model.advance(1 + Math.floor(chance() * 30))
        now += Math.floor(chance() * 3_000)
        try {
          cursor = await followBlocks(deps, cursor)
          cursor = await closeFinalBlocks(deps, cursor, [await chain.head()])
          await rebroadcast(deps, network, 1_000)
          await rebuildExpired(deps, renewal, cursor, heard)
        } catch (error) {
          if (!(error instanceof ChainMoved || error instanceof NodeFailure)) throw error
        }
        const effects = model.effects()
        expect(
          [...effects].filter(([, count]) => count > 1),
          `seed ${seed}, step ${step}`,
        ).toEqual([])
      }
      expect(await open(), `seed ${seed}`).toBe(0)
      expect(model.effects().size, `seed ${seed}`).toBe(PLACES)
      const findings = await store.inTransaction('service', findInBooks)
      expect(findings, `seed ${seed}`).toEqual([])
    },
  )
})

/** mulberry32: small, and the same everywhere for the same seed. */
function chanceOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** A wallet with open payments, each with its first attempt stored, its hold and its event; some live shortly, some long. */
async function openPlaces({ store }: TestDatabase, network: string, world: number): Promise<void> {
  const letter = String.fromCharCode(97 + world).replace('l', 'z')
  const account = `acct_${'1'.repeat(21)}${letter}`
  const wallet = `wal_${'1'.repeat(21)}${letter}`
  const values = [network, account, wallet, EXPIRING_SENDER, PLACES, letter]
  const run = (name: string, text: string, used: readonly number[]) =>
    store.inTransaction('service', (tx) =>
      tx.query(
        `model_${name}`,
        text,
        used.map((index) => values[index - 1]),
      ),
    )
  await run('account', `insert into accounts (id, name) values ($1, 'model')`, [2])
  await run(
    'wallet',
    `insert into wallets (id, account_id, family, address, sealed_data_key, sealed_private_key)
     values ($1, $2, 'solana', $3 || $4, '', '')`,
    [3, 2, 4, 6],
  )
  await run(
    'lane',
    `insert into lanes (network, address, next_nonce) values ($1, $2, $3)`,
    [1, 4, 5],
  )
  await run(
    'payments',
    `insert into payments (id, account_id, type, wallet_id, network, asset, amount, decimals, sender, recipient,
       fee_ceiling, sandbox, created_at)
     select 'pay_' || lpad(translate((n + 1000)::text, '0', 'A'), 21, '1') || $6, $2, 'sent', $3, $1, 'native', 100, 9, $4, 'R', 10, true, now()
     from generate_series(0, $5::int - 1) n`,
    [1, 2, 3, 4, 5, 6],
  )
  await run(
    'places',
    `with p as (select id, row_number() over (order by id) - 1 as n from payments where network = $1),
     t as (insert into chain_transactions (network, lane_address, nonce, fee_ceiling, created_at)
       select $1, $2, n, 10, now() from p returning id, nonce),
     a as (insert into attempts (chain_transaction_id, number, network, hash, raw, terms, created_at)
       select t.id, 1, $1, t.nonce || ' ' || (70 + t.nonce * 2), convert_to(t.nonce || ' ' || (70 + t.nonce * 2), 'UTF8'),
         json_build_object('place', t.nonce::text, 'lastValidBlockHeight', (70 + t.nonce * 2)::text), now() from t)
     insert into payment_transactions select p.id, t.id, 0 from p join t on t.nonce = p.n`,
    [1, 4],
  )
  await run(
    'books',
    `insert into ledger_accounts (account_id, wallet_id, network, asset, kind, balance)
     select $1, $2, $3, 'native', kind,
       case kind when 'held' then 110 * $4::int when 'external' then -110 * $4::int else 0 end
     from unnest(array['available', 'held', 'external', 'fees']) kind`,
    [2, 3, 1, 5],
  )
  await run(
    'holds',
    `with t as (insert into ledger_transfers (account_id, kind, payment_id, network, asset, created_at)
       select account_id, 'hold', id, network, 'native', now() from payments where network = $1 returning id)
     insert into ledger_entries (transfer_id, ledger_account_id, account_id, network, asset, amount)
     select t.id, a.id, a.account_id, a.network, 'native', case a.kind when 'held' then 110 else -110 end
     from t, ledger_accounts a where a.network = $1 and a.kind in ('held', 'external')`,
    [1],
  )
  await run(
    'events',
    `insert into outbox (account_id, count, facts, created_at)
     select account_id, 1, ${paymentFact('id', "'pending'")}, now() from payments where network = $1`,
    [1],
  )
}
