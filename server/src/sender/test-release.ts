import type { Chain } from '../chains/chain.ts'
import { USDC } from '../chains/evm/test-network.ts'
import { findInBooks } from '../doctor/books-store.ts'
import type { FinalityPolicy } from '../kernel/network-config.ts'
import type { Store } from '../store/postgres.ts'
import { write } from '../store/test-write.ts'
import type { Broadcaster } from './broadcast.ts'

export const FINALITY_POLICIES: readonly [string, FinalityPolicy][] = [
  ['the finalized tag', { kind: 'tag' }],
  ['depth', { kind: 'depth', blocks: 2 }],
]

/** Hands bytes to the chain at once, as a broadcaster does. */
export const broadcasterTo = (chain: Pick<Chain, 'broadcast'>): Broadcaster => ({
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
export async function placesOf(store: Store, address: string) {
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
