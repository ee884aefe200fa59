import type { Divergence, Run, Sound } from './test-divergences.ts'

const invariant = 'the fee of what filled a nonce is in the books of its wallet when it is final'
const filled = (run: Run, { ids }: Sound, fee: string | null) =>
  run(
    `insert into gap_fillings (chain_transaction_id, network, lane_address, booked_fee)
     select id, network, lane_address, $2 from chain_transactions
     where id = (select chain_transaction_id from payment_transactions where payment_id = $1)`,
    ...[ids['settled'], fee],
  )

/** What can be wrong with transactions that fill nonces. */
export const FILLING_DIVERGENCES: readonly Divergence[] = [
  {
    invariant,
    what: 'one that nobody has booked',
    plant: (run, sound) => filled(run, sound, null),
  },
  {
    invariant,
    what: 'one that is called booked, and no ledger has it',
    plant: (run, sound) => filled(run, sound, '5'),
  },
]
