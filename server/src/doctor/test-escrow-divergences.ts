import type { Divergence, Run, Sound } from './test-divergences.ts'

const invariant = 'every call to an escrow has a place of its own, which carries no payment'
const called = (run: Run, { wallet, network, ids }: Sound, place: string) =>
  run(
    `insert into escrow_calls (network, call_key, account_id, operation, content_digest, chain_transaction_id, created_at)
     select $1, 'claim:1', $2, 'claim', sha256('1'), (${place}), now() where $3::text is not null`,
    ...[network, wallet.accountId, ids['settled']],
  )

/** What can be wrong with calls to an escrow. */
export const ESCROW_DIVERGENCES: readonly Divergence[] = [
  {
    invariant,
    what: 'one that was never signed',
    plant: (run, sound) => called(run, sound, 'select null::bigint'),
  },
  {
    invariant,
    what: 'one in the place of a payment',
    plant: (run, sound) =>
      called(
        run,
        sound,
        'select chain_transaction_id from payment_transactions where payment_id = $3',
      ),
  },
]
