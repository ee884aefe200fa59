import { escrowCallFact } from '../events/test-facts.ts'
import type { Divergence, Run, Sound } from './test-divergences.ts'

const OWN_PLACE = 'every call to an escrow has a place of its own, which carries no payment'
const SAME_STORY = 'a call to an escrow that is over and its place tell the same story'
const TOLD = 'the newest event of a payment or of a call to an escrow tells its status'
const CALL_ID = `esc_${'1'.repeat(22)}`

const called = (run: Run, { wallet, network, ids }: Sound, place: string) =>
  run(
    `insert into escrow_calls (network, call_key, account_id, operation, content_digest, chain_transaction_id, created_at)
     select $1, 'claim:1', $2, 'claim', sha256('1'), (${place}), now() where $3::text is not null`,
    ...[network, wallet.accountId, ids['settled']],
  )

/** A call with a place of its own, which stands as its record and its event say. */
async function recorded(
  run: Run,
  { wallet, network }: Sound,
  [state, succeeded]: readonly [string, boolean],
  status: string,
  told = status,
): Promise<void> {
  const lane = 'settler'
  await run(
    `insert into lanes (network, address, next_nonce) values ($1, $2, 1)`,
    ...[network, lane],
  )
  const isMined = state === 'mined' || state === 'final'
  await run(
    `with place as (
       insert into chain_transactions (network, lane_address, nonce, state, fee_ceiling, created_at, mined_hash, mined_height, mined_block_hash, succeeded, fee_paid)
       values ($1, $2, 0, $3, 1, now(), case when $4 then 'call' end, case when $4 then 1 end, case when $4 then 'b' end, case when $4 then $5::boolean end, case when $4 then 1 end)
       returning id
     ), attempt as (
       insert into attempts (chain_transaction_id, number, network, hash, raw, terms, created_at)
       select id, 1, $1, 'call', '1', '{"to": "escrow", "value": "0", "data": "1"}', now() from place
     )
     insert into escrow_calls (network, call_key, account_id, operation, content_digest, chain_transaction_id, created_at,
       id, asset, receivers, channel_ids, status)
     select $1, 'claim:1', $6, 'claim', sha256('1'), id, now(), $7, 'token', '{a}', '{b}', $8 from place`,
    ...[network, lane, state, isMined, succeeded, wallet.accountId, CALL_ID, status],
  )
  await run(
    `insert into outbox (account_id, count, facts, created_at) values ($1, 1, ${escrowCallFact('$2::text', '$3::text')}, now())`,
    ...[wallet.accountId, CALL_ID, told],
  )
}

/** What can be wrong with calls to an escrow. */
export const ESCROW_DIVERGENCES: readonly Divergence[] = [
  {
    invariant: OWN_PLACE,
    what: 'one that was never signed',
    plant: (run, sound) => called(run, sound, 'select null::bigint'),
  },
  {
    invariant: OWN_PLACE,
    what: 'one in the place of a payment',
    plant: (run, sound) =>
      called(
        run,
        sound,
        'select chain_transaction_id from payment_transactions where payment_id = $3',
      ),
  },
  {
    invariant: SAME_STORY,
    what: 'a settled one that reverted',
    plant: (run, sound) => recorded(run, sound, ['final', false], 'settled'),
  },
  {
    invariant: SAME_STORY,
    what: 'a failed one that can still take effect',
    plant: (run, sound) => recorded(run, sound, ['mined', false], 'failed'),
  },
  {
    invariant: SAME_STORY,
    what: 'a failed one that took effect',
    plant: (run, sound) => recorded(run, sound, ['final', true], 'failed'),
  },
  {
    invariant: TOLD,
    what: 'a settled call that was told to be confirmed',
    plant: (run, sound) => recorded(run, sound, ['final', true], 'settled', 'confirmed'),
  },
]
