import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sandboxNetwork } from '@florin/cli/up/sandbox-network.ts'
import type { Address, Block, Chain, TransactionHash } from '@florin/server/chains/chain.ts'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { until } from '@florin/server/kernel/until.ts'
import { openPaymentBook } from '@florin/server/payments/advance.ts'
import { openDepositBook } from '@florin/server/payments/deposits.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import { openBroadcaster } from './broadcast.ts'
import { startDriver } from './driver.ts'
import { closeFinalBlocks } from './finalize.ts'
import { followBlocks } from './follow.ts'
import { beginFollowing, takeLease } from './follower-store.ts'
import { guardLanes } from './guard.ts'
import { scriptedChain } from './test-chain.ts'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import { write } from '../store/test-write.ts'

const config = {
  ...sandboxNetwork({
    instance: 'i',
    evm: {
      network: 'eip155:84532',
      rpcUrl: 'http://127.0.0.1:1',
      usdc: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    },
    faucetUrl: 'http://127.0.0.1:1',
    adminUrl: null,
  }),
}
const log = openLog('silent')
const clock = systemClock
const NET = config.network
const SENDER = '0x00000000000000000000000000000000000000AA' as Address
const HASH = `0x${'ab'.repeat(32)}` as TransactionHash
const ids = (p: string, n: number) => `${p}_${'1'.repeat(20)}${String.fromCharCode(97 + n)}a`

let database: TestDatabase
beforeEach(async () => {
  database = await openTestDatabase()
})
afterEach(() => database.close())

const block = (height: number, fork = 'a', hashes: TransactionHash[] = []): Block => ({
  height: BigInt(height),
  hash: `${fork}${height}`,
  parentHash: `${fork}${height - 1}`,
  timeMilliseconds: 0,
  transactionHashes: hashes,
})
const stub = (more: Partial<Chain>): Chain =>
  scriptedChain(config, { renew: async () => undefined, ...more })
const book = openPaymentBook({ clock })
const deposits = openDepositBook({ clock, random: systemRandom })
const deps = (chain: Chain) => ({
  chain,
  store: database.store,
  book,
  deposits,
  log,
  killPoint: () => {},
})

/** One open native place at nonce 0, with its hold. */
async function openPlace(n = 0): Promise<void> {
  await database.store.inTransaction('service', async (tx) => {
    let s = 0
    const run = (sql: string, values: unknown[] = []) =>
      tx.query(`seed_${n}_${(s += 1)}`, sql, values)
    const acct = ids('acct', n),
      wal = ids('wal', n),
      pay = ids('pay', n)
    const address = n === 0 ? SENDER : `${SENDER}${n}`
    const hash = n === 0 ? HASH : `${HASH}${n}`
    await run(`insert into accounts (id, name) values ($1, 'a')`, [acct])
    await run(
      `insert into wallets (id, account_id, family, address, sealed_data_key, sealed_private_key) values ($1,$2,'evm',$3,'','')`,
      [wal, acct, address],
    )
    await run(`insert into lanes (network, address, next_nonce) values ($1, $2, 1)`, [NET, address])
    await run(
      `insert into payments (id, account_id, type, wallet_id, network, asset, amount, decimals, sender, recipient, fee_ceiling, sandbox, created_at)
       values ($1,$2,'sent',$3,$4,'native',100,18,$5,'0xBB',10,true,now())`,
      [pay, acct, wal, NET, address],
    )
    await run(
      `with t as (insert into chain_transactions (network, lane_address, nonce, fee_ceiling, created_at)
         values ($1,$2,0,10,now()) returning id),
       a as (insert into attempts (chain_transaction_id, number, network, hash, raw, terms, created_at)
         select id, 1, $1, $3, '\\x01', '{}', now() from t)
       insert into payment_transactions select $4, id, 0 from t`,
      [NET, address, hash, pay],
    )
    await run(
      `insert into ledger_accounts (account_id, wallet_id, network, asset, kind, balance)
       select $1,$2,$3,'native',k, case k when 'held' then 110 when 'external' then -110 else 0 end from unnest(array['available','held','external','fees']) k`,
      [acct, wal, NET],
    )
    await run(
      `with t as (insert into ledger_transfers (account_id, kind, payment_id, network, asset, created_at)
         values ($1,'hold',$2,$3,'native',now()) returning id)
       insert into ledger_entries select t.id, a.id, $1, $3, 'native', case a.kind when 'held' then 110 else -110 end
       from t, ledger_accounts a where a.wallet_id = $4 and a.kind in ('held','external')`,
      [acct, pay, NET, wal],
    )
  })
}
const one = async <T extends object>(sql: string): Promise<T | undefined> =>
  (await database.store.query<T>(`one_${Math.random()}`, sql))[0]

/** A follower that began at the final block and has read the chain `a` up to a height. */
async function following(height: number, finalized: number) {
  const { store } = database
  const final = { height: BigInt(finalized), hash: `a${finalized}` }
  await store.inTransaction('service', (tx) => beginFollowing(tx, NET, final))
  const cursor = await store.inTransaction('service', (tx) => takeLease(tx, NET, 'me', 5_000))
  if (cursor === undefined) throw new Error('no lease')
  return followBlocks(deps(chainUpTo(height)), cursor)
}

const chainUpTo = (top: number) =>
  stub({
    blocks: async (from, count) =>
      Array.from({ length: count }, (_, i) => Number(from) + i)
        .filter((height) => height <= top)
        .map((height) => block(height)),
  })

describe('the follower', () => {
  test('a node that is one block behind is no reorg', async () => {
    const cursor = await following(100, 90)
    const behind = chainUpTo(99)
    await followBlocks(deps(behind), cursor).catch(() => undefined)
    expect(await one('select halted_reason from followers')).toEqual({ halted_reason: null })
  })

  test('a head that another node has shown is left for the next look when it knows nothing of what is in it', async () => {
    const cursor = await following(100, 90)
    const behind = { ...chainUpTo(100), arrivals: async () => undefined }
    expect(await followBlocks(deps(behind), cursor, { block: block(101) })).toEqual(cursor)
    const followed = await followBlocks(deps(chainUpTo(100)), cursor, { block: block(101) })
    expect(followed).toMatchObject({ height: 101n, blockHash: 'a101' })
  })

  test('a reorg of one block right after the first start does not stop the network', async () => {
    const cursor = await following(100, 90)
    const other = stub({
      blocks: async (from, count) =>
        Array.from({ length: count }, (_, i) => Number(from) + i)
          .filter((height) => height <= 101)
          .map((height) => block(height, height > 99 ? 'b' : 'a')),
    })
    await followBlocks(deps(other), cursor).catch(() => undefined)
    expect(await one('select halted_reason from followers')).toEqual({ halted_reason: null })
  })

  /** A node whose blocks part from ours right below the final one, and that calls final what it is told to. */
  const onAnotherBranch = (finalizedHeight: bigint) =>
    stub({
      head: async () => ({ height: 101n, hash: 'b101', finalizedHeight }),
      blocks: async (from, count) =>
        Array.from({ length: count }, (_, i) => Number(from) + i)
          .filter((height) => height <= 101)
          .map((height) => block(height, height >= 90 ? 'b' : 'a')),
    })

  test('a node that hangs on a branch below our final block does not stop the network', async () => {
    const cursor = await following(100, 90)
    const followed = followBlocks(deps(onAnotherBranch(70n)), cursor)
    await expect(followed).rejects.toThrow('left behind')
    expect(await one('select halted_reason from followers')).toEqual({ halted_reason: null })
  })

  test('a node that calls another block final than we do stops the network', async () => {
    const cursor = await following(100, 90)
    await expect(followBlocks(deps(onAnotherBranch(90n)), cursor)).rejects.toThrow()
    expect(await one('select halted_reason is not null as halted from followers')).toEqual({
      halted: true,
    })
  })

  test('two nodes of which one hangs on such a branch do not stop it together', async () => {
    const cursor = await following(100, 90)
    const mixed = stub({
      head: async () => ({ height: 101n, hash: 'a101', finalizedHeight: 95n }),
      blocks: onAnotherBranch(70n).blocks,
    })
    await expect(followBlocks(deps(mixed), cursor)).rejects.toThrow('left behind')
    expect(await one('select halted_reason from followers')).toEqual({ halted_reason: null })
  })

  test('a node that is behind takes no confirmation back', async () => {
    await openPlace()
    let cursor = await following(100, 90)
    const mined = {
      state: 'mined',
      height: 102n,
      blockHash: 'a102',
      succeeded: true,
      feePaid: 1n,
      transfers: [],
    }
    let top = 103
    const chain = stub({
      blocks: async (from, count) =>
        Array.from({ length: count }, (_, i) => Number(from) + i)
          .filter((height) => height <= top)
          .map((height) => block(height, 'a', height === 102 ? [HASH] : [])),
      outcomes: async () => [mined] as never,
    })
    cursor = await followBlocks(deps(chain), cursor)
    expect(await one('select status from payments')).toEqual({ status: 'confirmed' })
    top = 101 // the same chain, seen by another node a moment earlier
    await followBlocks(deps(chain), cursor).catch(() => undefined)
    expect(await one('select status from payments')).toEqual({ status: 'confirmed' })
  })
})

describe('the guard', () => {
  test('a receipt that one node does not have yet freezes no wallet', async () => {
    await openPlace()
    // Node A has the block of our transaction, node B answers the receipt a moment behind; nothing of it is final.
    const chain = stub({
      lanePosition: async () => ({ latest: 1n, finalized: 0n, finalizedHeight: 0n }),
      outcomes: async () => [{ state: 'absent' }],
    })
    await guardLanes(deps(chain), { network: NET, fence: 0n, finalizedHeight: 0n }, new Map())
    expect(await one('select state from lanes')).toEqual({ state: 'active' })
  })
})

describe('finality', () => {
  test('that a node on another branch tells does not make the blocks final that were read', async () => {
    const read = await following(105, 90)
    const elsewhere = { height: 105n, hash: 'b105', finalizedHeight: 104n }
    const after = await closeFinalBlocks(deps(stub({})), read, [elsewhere])
    expect(after.finalizedHeight).toBe(90n)
  })

  test('that a node ahead tells counts once its head has been read', async () => {
    const ahead = { height: 106n, hash: 'a106', finalizedHeight: 104n }
    const read = await following(105, 90)
    const before = await closeFinalBlocks(deps(stub({})), read, [ahead])
    expect(before.finalizedHeight).toBe(90n)
    const caughtUp = await followBlocks(deps(chainUpTo(107)), before)
    const later = { height: 108n, hash: 'a108', finalizedHeight: 105n }
    const after = await closeFinalBlocks(deps(stub({})), caughtUp, [ahead, later])
    expect(after.finalizedHeight).toBe(104n)
  })

  test('one payment that cost more than its ceiling does not stop the network', async () => {
    await openPlace(0)
    await openPlace(1)
    await write(
      database.store,
      'mined',
      `update chain_transactions set state='mined', mined_hash='x' || id, mined_height=101, mined_block_hash='a101', succeeded=true,
         fee_paid = case nonce when 0 then case when lane_address = '${SENDER}' then 11 else 1 end end`,
    )
    await write(
      database.store,
      'confirmed',
      `update payments set status='confirmed', transaction_hash='x' || id, block_height=101, fee_paid=1`,
    )
    const cursor = { ...(await following(105, 90)) }
    await closeFinalBlocks(deps(stub({})), cursor, [
      { height: 105n, hash: 'a105', finalizedHeight: 104n },
    ])
    const settled = await one<{ n: string }>(
      `select count(*) as n from payments where status = 'settled'`,
    )
    expect(Number(settled?.n)).toBe(2)
  })
})

describe('two instances', () => {
  test(
    'a node that hangs at broadcasts does not keep both from following',
    { timeout: 240_000 },
    async () => {
      await openPlace()
      let height = 100
      const chain = () =>
        stub({
          config: { ...config, blockTimeMilliseconds: 2_000 },
          head: async () => ({
            height: BigInt((height += 1)),
            hash: `a${height}`,
            finalizedHeight: 90n,
          }),
          blocks: async (from, count) =>
            Array.from({ length: count }, (_, i) => Number(from) + i)
              .filter((h) => h <= height)
              .map((h) => block(h)),
          // One of the configured nodes takes longer than a lease of 5 s.
          broadcast: async (raws) => {
            await clock.sleep(7_000)
            return raws.map(() => ({ kind: 'accepted' as const }))
          },
          lanePosition: async () => ({ latest: 0n, finalized: 0n, finalizedHeight: 0n }),
        })
      await following(100, 90)
      await write(database.store, 'free', `update followers set lease_until = now()`)
      const drivers = ['one', 'two'].map((instance) => {
        const own = chain()
        const broadcaster = openBroadcaster({
          chains: new Map([[NET, own]]),
          store: database.store,
          clock,
          log,
          killPoint: () => {},
        })
        return startDriver({
          ...deps(own),
          broadcaster,
          clock,
          instance,
          signerOf: async () => undefined,
        })
      })
      // Traffic goes on: there is always something that no node is known to have.
      const traffic = setInterval(
        () => void write(database.store, 'traffic', 'update attempts set last_sent_at = null'),
        200,
      )
      try {
        await until(
          'a block was followed',
          async () =>
            Number((await one<{ height: string }>('select height from followers'))?.height) > 100,
          { seconds: 60 },
        )
      } finally {
        clearInterval(traffic)
        await Promise.all(drivers.map((driver) => driver.stop()))
      }
    },
  )
})
