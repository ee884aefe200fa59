import type { Chain } from '../chains/chain.ts'
import { order, startTestChain } from '../chains/evm/test-chain.ts'
import type { TestChain, TestWallet } from '../chains/evm/test-chain.ts'
import { testNetwork, USDC } from '../chains/evm/test-network.ts'
import { findInBooks } from '../doctor/books-store.ts'
import { systemClock } from '../kernel/clock.ts'
import type { FinalityPolicy } from '../kernel/network-config.ts'
import type { Store } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { write } from '../store/test-write.ts'
import type { Broadcaster } from './broadcast.ts'
import { freezeLane, lockLane } from './lane-store.ts'
import { releaseLane } from './release-lane.ts'
import type { Released } from './release-lane.ts'

export const FINALITY_POLICIES: readonly [string, FinalityPolicy][] = [
  ['the finalized tag', { kind: 'tag' }],
  ['depth', { kind: 'depth', blocks: 2 }],
]

const { network } = testNetwork([])
export const RECIPIENT = '0x00000000000000000000000000000000000000bb'

/** A chain that makes no blocks by itself, and a database that follows it. */
export async function openReleases(): Promise<{ world: TestChain; database: TestDatabase }> {
  const [world, database] = await Promise.all([startTestChain(), openTestDatabase()])
  await world.sandbox.fault({ kind: 'stop-blocks' })
  await write(
    database.store,
    'test_follow',
    'insert into followers (network, height, finalized_height) values ($1, 1, 1)',
    [network],
  )
  return { world, database }
}

/** What is done with the lane of a key. Each test has a key of its own, on a chain and a database that are opened before them all. */
export function laneOf(scene: () => { world: TestChain; database: TestDatabase; key: TestWallet }) {
  const storeOf = () => scene().database.store
  const addressOf = () => scene().key.address
  return {
    /** A lane that begins at this nonce, frozen or not. */
    begin: (nonce: bigint, reason: string | null = 'used elsewhere') =>
      storeOf().inTransaction('service', async (tx) => {
        await lockLane(tx, network, addressOf(), nonce)
        if (reason !== null) await freezeLane(tx, network, addressOf(), reason)
      }),
    lane: () => storeOf().inTransaction('service', (tx) => lockLane(tx, network, addressOf(), 0n)),
    move: (nextNonce: bigint) =>
      write(storeOf(), 'test_move', 'update lanes set next_nonce = $2 where address = $1', [
        addressOf(),
        nextNonce.toString(),
      ]),
    place: (nonce: bigint, state: 'open' | 'mined', paymentId: string | null = null) =>
      placeIn(storeOf(), { network, address: addressOf(), nonce, state, paymentId }),
    places: () => placesOf(storeOf(), addressOf()),
    /** Signs at a nonce, whoever does it, and mines it. */
    use: async (nonce: bigint) => {
      const { world, key } = scene()
      const to = world.chain.parseAddress(RECIPIENT)
      if (to === undefined) throw new Error('no recipient')
      const signed = await world.signed(order(key, to, 1n), key, nonce)
      const [said] = await world.chain.broadcast([signed.raw])
      if (said?.kind !== 'accepted') throw new Error(`not taken: ${JSON.stringify(said)}`)
      await world.sandbox.mine()
      return signed.hash
    },
    release: (chain: Chain, noted: (amounts: Released['amounts']) => void = () => {}) =>
      releaseLane({
        store: storeOf(),
        chain,
        address: addressOf(),
        clock: systemClock,
        broadcaster: broadcasterTo(chain),
        signerOf: async () => ({ ...scene().key.signer, erase: () => undefined }),
        killPoint: () => undefined,
        noted: async (_, { amounts }) => noted(amounts),
      }),
  }
}

/** Hands bytes to the chain at once, as a broadcaster does. */
const broadcasterTo = (chain: Pick<Chain, 'broadcast'>): Broadcaster => ({
  broadcast: async (_, committed) =>
    committed.length === 0 ? [] : await chain.broadcast(committed.map(({ raw }) => raw)),
})

/** A place of a lane, with no signed bytes; it carries a payment of an account of its own if one is named. */
export async function placeIn(
  store: Store,
  place: {
    readonly network: string
    readonly address: string
    readonly nonce: bigint
    readonly state: 'open' | 'mined'
    readonly paymentId: string | null
  },
): Promise<void> {
  const { network, address, nonce, state, paymentId } = place
  await write(
    store,
    'test_place',
    `with account as (
       insert into accounts (id, name) select 'acct_' || substr($5, 5), 'a' where $5::text is not null returning id
     ), payment as (
       insert into payments (id, account_id, type, network, asset, amount, decimals, sender, recipient, status, sandbox, created_at)
       select $5, id, 'received', $1, $6, 5, 6, 'a1', 'a2', 'pending', true, now() from account
     ), placed as (
       insert into chain_transactions (network, lane_address, nonce, state, fee_ceiling, created_at, mined_hash)
       values ($1, $2, $3, $4, 1, now(), case when $4 = 'mined' then 'x' end) returning id
     ) insert into payment_transactions (payment_id, chain_transaction_id, effect_index)
     select $5::text, id, 0 from placed where $5::text is not null`,
    [network, address, nonce.toString(), state, paymentId, USDC.asset],
  )
}

/** Of a lane, by their nonces, with how much the doctor says of what they carry. */
async function placesOf(store: Store, address: string) {
  const found = await store.query<{
    id: string
    nonce: string
    before_payment: string | null
    attempts: string
  }>(
    'test_places',
    `select id, nonce, before_payment, (select count(*) from attempts where chain_transaction_id = t.id) as attempts
     from chain_transactions t where lane_address = $1 order by nonce`,
    [address],
  )
  const findings = await store.inTransaction('service', findInBooks)
  const ofPlaces = findings.filter(({ invariant }) => invariant.includes('place'))
  return found.map(({ id, ...rest }) => ({
    ...rest,
    findings: `${ofPlaces.filter(({ invariant, subject }) => subject === `place ${id}` && !invariant.includes('signed bytes')).length}`,
  }))
}
