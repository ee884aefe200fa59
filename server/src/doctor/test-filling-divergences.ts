import type { Divergence, Run, Sound } from './test-divergences.ts'

const invariant = 'the fee of what filled a nonce is in the books of its wallet when it is final'
const filled = (run: Run, { ids }: Sound, fee: string | null) =>
  run(
    `insert into gap_fillings (chain_transaction_id, network, lane_address, booked_fee)
     select id, network, lane_address, $2 from chain_transactions
     where id = (select chain_transaction_id from payment_transactions where payment_id = $1)`,
    ...[ids['settled'], fee],
  )

const PLACE = `(select chain_transaction_id from payment_transactions where payment_id = $1)`

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
  {
    invariant: 'all attempts of a place move the same',
    what: 'bytes that move money behind bytes of nothing',
    plant: async (run, { ids }) => {
      const { pending } = ids
      await run(
        `insert into gap_fillings (chain_transaction_id, network, lane_address)
         select id, network, lane_address from chain_transactions where id = ${PLACE}`,
        pending,
      )
      await run(`update attempts set number = 3 where chain_transaction_id = ${PLACE}`, pending)
      await run(
        `insert into attempts (chain_transaction_id, number, network, hash, raw, terms, created_at)
         select chain_transaction_id, each, a.network, hash || each, raw,
           (terms::jsonb || case each when 2 then jsonb_build_object('to', lane_address, 'value', '0') else '{}' end)::json, now()
         from attempts a join chain_transactions t on t.id = chain_transaction_id, unnest(array[1, 2]) each
         where chain_transaction_id = ${PLACE}`,
        pending,
      )
    },
  },
]
