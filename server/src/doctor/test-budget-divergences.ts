import type { Divergence } from './test-divergences.ts'

/** Sums of a time in which the wallet had spent nothing; too much by $4, and with a gap of $5 days. */
const PLANT_SUMS = `insert into policy_spend_sums (wallet_id, account_id, network, asset, since, until, amount, summed_at)
  values ($1, $2, $3, 'native', '2001-01-01', '2001-01-01', 0, now()),
    ($1, $2, $3, 'native', '2001-01-01'::timestamptz + $5 * interval '1 day', '2001-02-01', $4, now())`

/** How what wallets may spend can be wrong. */
export const BUDGET_DIVERGENCES: readonly Divergence[] = [
  {
    invariant: 'a budget is given back when and only when the payment came to nothing',
    what: 'the budget of a settled payment given back',
    plant: (run, sound) =>
      run(
        `update policy_spends set released_at = now() where payment_id = $1`,
        sound.ids['settled'],
      ),
  },
  {
    invariant: 'a budget is given back when and only when the payment came to nothing',
    what: 'the budget of a failed payment kept',
    plant: (run, sound) =>
      run(`update policy_spends set released_at = null where payment_id = $1`, sound.ids['dead']),
  },
  {
    invariant: 'what a wallet has spent is summed up as its spends say, without a gap',
    what: 'a sum of spends that is not theirs',
    plant: (run, { wallet, network }) =>
      run(PLANT_SUMS, wallet.id, wallet.accountId, network, 1, 0),
  },
  {
    invariant: 'what a wallet has spent is summed up as its spends say, without a gap',
    what: 'a gap between two sums',
    plant: (run, { wallet, network }) =>
      run(PLANT_SUMS, wallet.id, wallet.accountId, network, 0, 1),
  },
]
