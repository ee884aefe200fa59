import { afterEach, beforeEach, expect, test } from 'vitest'
import { NodeFailure } from '../chains/chain.ts'
import type { Address, Chain, Outcome } from '../chains/chain.ts'
import { systemClock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import { openLog } from '../kernel/log.ts'
import { openPaymentBook } from '../payments/advance.ts'
import { testNetwork } from '../payments/test-lane.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { write } from '../store/test-write.ts'
import { openBroadcaster } from './broadcast.ts'
import { beginFollowing, LeaseLost, takeLease } from './follower-store.ts'
import { guardLanes } from './guard.ts'
import { rebroadcast } from './rebroadcast.ts'
import { scriptedChain } from './test-chain.ts'
import { laneAt, openPlaces } from './test-places.ts'

const config = testNetwork(84_532)
const { network } = config
const ABSENT: readonly Outcome[] = [{ state: 'absent' }]

let database: TestDatabase
beforeEach(async () => {
  database = await openTestDatabase()
})
afterEach(() => database.close())

const taken = async () => ({ latest: 1n, finalized: 1n, finalizedHeight: 100n })
const frozen = async () => {
  const rows = await database.store.query<{ address: string }>(
    'frozen',
    `select address from lanes where state = 'frozen' order by address`,
  )
  return rows.map(({ address }) => address)
}

/** A follower that holds its lease, and looks at lanes as nodes tell of them. */
async function openGuard(lanes: number, says: Partial<Chain>) {
  const { store } = database
  await openPlaces(store, network, lanes)
  const lease = await store.inTransaction('service', async (tx) => {
    await beginFollowing(tx, network, { height: 100n, hash: 'a100' })
    return takeLease(tx, network, 'test', 60_000)
  })
  if (lease === undefined) throw new Error('no lease')
  const deps = {
    chain: scriptedChain(config, { lanePosition: taken, outcomes: async () => ABSENT, ...says }),
    store,
    book: openPaymentBook({ clock: systemClock }),
    log: openLog('silent'),
  }
  const suspects = new Map<string, bigint>()
  const heldUp = new Map<Address, bigint>()
  const look = (finalizedHeight = lease.finalizedHeight) =>
    guardLanes(deps, { ...lease, finalizedHeight }, suspects, heldUp)
  return { look, suspects }
}

test('all lanes are asked for before any answer is waited for, and so is what became of their places', async () => {
  const asked = { positions: 0, outcomes: 0 }
  const askedAtAnswer = new Set<string>()
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const { look } = await openGuard(limits.laneFrontsMax, {
    lanePosition: async () => {
      asked.positions += 1
      await turn()
      askedAtAnswer.add(`${asked.positions} positions`)
      return taken()
    },
    outcomes: async () => {
      asked.outcomes += 1
      await turn()
      askedAtAnswer.add(`${asked.outcomes} outcomes`)
      return ABSENT
    },
  })
  await look()
  const all = limits.laneFrontsMax
  expect([...askedAtAnswer]).toEqual([`${all} positions`, `${all} outcomes`])
})

test('one lane of which no node tells keeps no other from its look, and is neither cleared nor condemned by it', async () => {
  let isAway = false
  const away = (address: Address) => {
    if (isAway && address === laneAt(1)) throw new NodeFailure('nobody answers')
    return taken()
  }
  const { look, suspects } = await openGuard(2, { lanePosition: async (at) => away(at) })
  isAway = true
  await look()
  expect(suspects.size).toBe(1)
  isAway = false
  await look()
  expect(await frozen()).toEqual([laneAt(2)])
  isAway = true
  await look()
  expect(await frozen()).toEqual([laneAt(2)])
  isAway = false
  await look()
  expect(await frozen()).toEqual([laneAt(1), laneAt(2)])
})

test('the same holds where nobody tells what became of a place', async () => {
  let isAway = true
  const { look } = await openGuard(1, {
    outcomes: async () => {
      if (isAway) throw new NodeFailure('nobody answers')
      return ABSENT
    },
  })
  await look()
  await look()
  isAway = false
  await look()
  expect(await frozen()).toEqual([])
  await look()
  expect(await frozen()).toEqual([laneAt(1)])
})

test('what looked taken is looked at again, however many lanes wait and whatever was sent again meanwhile', async () => {
  const lanePosition = async (address: Address) =>
    address === laneAt(1) ? taken() : { latest: 0n, finalized: 0n, finalizedHeight: 100n }
  const { look, suspects } = await openGuard(2 * limits.laneFrontsMax, { lanePosition })
  const { store } = database
  await write(
    store,
    'sent',
    `update attempts set last_sent_at = now() - interval '1 hour' - case hash when '0xhash1' then interval '1 hour' else interval '0' end`,
  )
  await look()
  expect([...suspects.keys()]).toEqual(['1'])
  const broadcast: Chain['broadcast'] = async (raws) => raws.map(() => ({ kind: 'known' }))
  const chains = new Map([[network, scriptedChain(config, { broadcast })]])
  const rest = { clock: systemClock, log: openLog('silent'), killPoint: () => {} }
  const broadcaster = openBroadcaster({ chains, store, ...rest })
  await rebroadcast({ store, broadcaster, clock: systemClock }, network, 60_000)
  await look()
  expect(await frozen()).toEqual([laneAt(1)])
})

test('what looked held up is looked at again, however many lanes wait', async () => {
  const lanePosition = async () => ({ latest: 0n, finalized: 0n, finalizedHeight: 100n })
  const { look } = await openGuard(2 * limits.laneFrontsMax, { lanePosition })
  const { store } = database
  await write(store, 'behind', `update chain_transactions set nonce = 1 where lane_address = $1`, [
    laneAt(1),
  ])
  await write(
    store,
    'given_back',
    `insert into chain_transactions (network, lane_address, nonce, fee_ceiling, created_at, state) values ($1, $2, 0, 1, now(), 'dead')`,
    [network, laneAt(1)],
  )
  const sentBefore = (hours: number) =>
    write(
      store,
      'sent',
      `update attempts set last_sent_at = now() - interval '1 hour' * case hash when '0xhash1' then $1::int else 1 end`,
      [hours],
    )
  await sentBefore(2)
  await look()
  // Sent again meanwhile: it would be the last one's turn.
  await sentBefore(0)
  await look()
  expect(await frozen()).toEqual([laneAt(1)])
})

test('no payment fails by the word of nodes of which one has the count and the other no receipt, before we have read those blocks ourselves', async () => {
  let finalizedHeight = 150n
  const { look } = await openGuard(1, {
    lanePosition: async () => ({ ...(await taken()), finalizedHeight }),
  })
  await look()
  await look(149n)
  expect(await frozen()).toEqual([])
  // What is final goes on meanwhile.
  finalizedHeight = 170n
  await look(150n)
  expect(await frozen()).toEqual([laneAt(1)])
})

test('a place that a block has shown during the look freezes no lane', async () => {
  let isSeen = false
  const { look } = await openGuard(1, {
    outcomes: async () => {
      if (isSeen) {
        await write(
          database.store,
          'seen',
          `update chain_transactions set state = 'mined', mined_hash = 'x', mined_height = 100, mined_block_hash = 'a100',
             succeeded = true, fee_paid = 1`,
        )
      }
      return ABSENT
    },
  })
  await look()
  isSeen = true
  await look()
  expect(await frozen()).toEqual([])
})

test.each([
  ['has lost its lease', `update followers set fence = fence + 1`],
  ['has not heard that its network was halted', `update followers set halted_reason = 'by hand'`],
])('an instance that %s freezes nothing', async (_, change) => {
  const { look } = await openGuard(1, {})
  await look()
  await write(database.store, 'change', change)
  await expect(look()).rejects.toBeInstanceOf(LeaseLost)
  expect(await frozen()).toEqual([])
})
