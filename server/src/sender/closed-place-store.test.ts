import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type { Address, Terms } from '../chains/chain.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { signTest, testNetwork } from '../payments/test-lane.ts'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { write } from '../store/test-write.ts'
import { closedAboveChain, lanesHeldUp, reopenWithNothing } from './closed-place-store.ts'
import { beginFollowing } from './follower-store.ts'
import { noteFillings } from './gap-filling-store.ts'
import { lockLane } from './lane-store.ts'
import { closeFinal } from './place-store.ts'
import { placeIn } from './test-release.ts'

const NOW = 1_790_000_000_000
const TERMS = JSON.parse('{"fee":"1"}') as Terms
const READ = 9n

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())
const inService = <T>(work: (tx: Tx) => Promise<T>) => database.store.inTransaction('service', work)

/** One key has a lane on both networks; the other is its neighbour. */
let here: NetworkId
let there: NetworkId
let serial = 0
const address = '0xa' as Address
const neighbour = '0xb' as Address
beforeEach(async () => {
  serial += 2
  here = testNetwork(73_000 + serial).network
  there = testNetwork(73_001 + serial).network
  for (const network of [here, there]) {
    await inService((tx) => beginFollowing(tx, network, { height: READ, hash: 'block 9' }))
    for (const owner of [address, neighbour]) {
      await inService((tx) => lockLane(tx, network, owner, 9n))
    }
  }
})

type State = 'open' | 'mined' | 'final' | 'dead'

/** A place that carries a payment, and no bytes. */
async function place(
  nonce: bigint,
  state: State,
  { network = here, owner = address }: { network?: NetworkId; owner?: Address } = {},
) {
  const paymentId = newId(systemRandom, 'pay')
  const stored = { network, address: owner, nonce, state: 'open' as const, paymentId }
  await placeIn(database.store, stored)
  const [row] = await write<{ id: string }>(
    database.store,
    'test_state',
    `update chain_transactions set state = $4, mined_hash = case when $5 then 'x' end, mined_height = case when $5 then 5 end,
       mined_block_hash = case when $5 then 'block 5' end, succeeded = case when $5 then true end, fee_paid = case when $5 then 3 end
     where network = $1 and lane_address = $2 and nonce = $3 returning id`,
    [network, owner, nonce.toString(), state, state === 'mined' || state === 'final'],
  )
  return { transactionId: row?.id ?? '', paymentId }
}

const places = () =>
  database.store.query(
    'test_places',
    `select t.lane_address || ' ' || t.nonce || ' ' || t.state || case when pt.without_effect then ' without effect' else '' end as place,
       (select count(*)::int from attempts where chain_transaction_id = t.id) as attempts
     from chain_transactions t join payment_transactions pt on pt.chain_transaction_id = t.id
     where t.network = $1 order by t.lane_address, t.nonce`,
    [here],
  )

describe('a place that came to nothing', () => {
  const reopen = (transactionId: string, number: number) => {
    const next = { terms: TERMS, signed: signTest(TERMS, 0n, address), feeCeiling: baseUnits(9n) }
    return inService((tx) => reopenWithNothing(tx, here, { transactionId, number }, next, NOW))
  }

  test('is opened once more, alone and once, by who knows its newest attempt', async () => {
    const { transactionId } = await place(0n, 'dead')
    await place(1n, 'dead')
    const before = await places()
    expect(await reopen(transactionId, 1)).toBe(false)
    expect(await places()).toEqual(before)
    expect(await reopen(transactionId, 0)).toBe(true)
    const opened = [
      { place: `${address} 0 open without effect`, attempts: 1 },
      { place: `${address} 1 dead`, attempts: 0 },
    ]
    expect(await places()).toEqual(opened)
    for (const number of [0, 1]) expect(await reopen(transactionId, number)).toBe(false)
    expect(await places()).toEqual(opened)
  })

  test('and is filled bears its fee itself when that is final: what it carried is told nothing more', async () => {
    await place(0n, 'mined')
    const { paymentId } = await place(1n, 'mined')
    await inService((tx) => noteFillings(tx, { network: here, address }, [0n]))
    const { closed } = await inService((tx) => closeFinal(tx, here, READ, 10))
    expect(closed.map(({ paymentIds }) => paymentIds).toSorted()).toEqual([[], [paymentId]])
  })
})

describe('what the chain has given back', () => {
  const closed = async (
    change: Partial<Parameters<typeof closedAboveChain>[3]> = {},
    count = 9,
  ) => {
    const asked = { usedUp: 1n, finalizedHeight: READ, height: READ, ...change }
    const found = await inService((tx) => closedAboveChain(tx, here, address, asked, count))
    return found.map(({ nonce, isFollowed }) => `${nonce}${isFollowed ? ' followed' : ''}`)
  }

  test('are the places of the lane that are over, the lowest first, and no other lane’s', async () => {
    for (const nonce of [0n, 3n, 1n]) await place(nonce, nonce === 3n ? 'final' : 'dead')
    await place(2n, 'open')
    await place(4n, 'dead', { owner: neighbour })
    await place(5n, 'dead', { network: there })
    expect(await closed()).toEqual(['1', '3'])
    expect(await closed({}, 1)).toEqual(['1'])
    expect(await closed({ finalizedHeight: READ - 1n })).toEqual([])
    expect(await closed({ height: READ - 1n })).toEqual(['1 followed', '3 followed'])
  })

  test('is none of what one of ours is mined behind, and of nothing else', async () => {
    await place(0n, 'mined')
    await place(1n, 'dead')
    await place(2n, 'open')
    await place(2n, 'mined', { owner: neighbour })
    await place(2n, 'mined', { network: there })
    expect(await closed()).toEqual(['1'])
    await place(3n, 'mined')
    expect(await closed()).toEqual(['1 followed'])
  })

  test('holds up the lane that waits behind it, and neither its neighbour nor that of another network', async () => {
    await place(1n, 'dead')
    for (const lane of [{}, { owner: neighbour }, { network: there }]) await place(4n, 'open', lane)
    for (const nonce of [0n, 5n]) await place(nonce, 'dead', { owner: neighbour })
    const fronts = [address, neighbour].map((owner) => ({
      ...{ address: owner, usedUp: 1n, frontNonce: 4n },
    }))
    const held = (network: NetworkId) => inService((tx) => lanesHeldUp(tx, network, fronts))
    expect(await held(here)).toEqual([{ address, nonce: 1n }])
    expect(await held(there)).toEqual([])
  })
})
