import { paymentFact } from '../events/test-facts.ts'
import type { Divergence, Run, Sound } from './test-divergences.ts'

/** A payment that a seller had settled here, with everything that goes with its status but what is left out. */
async function received(
  run: Run,
  { wallet, network }: Sound,
  { status, isClaimed = true }: { status: 'pending' | 'settled' | 'expired'; isClaimed?: boolean },
): Promise<string> {
  const id = `pay_${'2'.repeat(22)}`
  const isSettled = status === 'settled'
  await run(
    `insert into payments (id, account_id, type, network, asset, amount, decimals, sender, recipient, status, sandbox,
       transaction_hash, block_height, block_hash, log_index, created_at)
     values ($1, $2, 'received', $3, 'token', 7, 6, 'payer', 'seller', $4, true, $5, $6, $7, 1, now())`,
    id,
    wallet.accountId,
    network,
    status,
    isSettled ? 'settlement' : null,
    isSettled ? 1 : null,
    isSettled ? 'b' : null,
  )
  // Triggers are off, these two as well.
  await run(
    `insert into payment_tallies (network, type, status, shard, count) values ($1, 'received', $2, 0, 1)`,
    network,
    status,
  )
  await run(
    `insert into payment_counts (account_id, address, type, shard, count) values ($1, 'seller', 'received', 0, 1)`,
    wallet.accountId,
  )
  await run(
    `insert into outbox (account_id, count, facts, created_at) values ($1, 1, ${paymentFact('$2::text', '$3::text')}, now())`,
    wallet.accountId,
    id,
    status,
  )
  if (isSettled) {
    await run(
      `insert into effects (network, transaction_hash, effect_index, direction, payment_id, account_id, created_at)
       values ($1, 'settlement', 1, 'received', $2, $3, now())`,
      network,
      id,
      wallet.accountId,
    )
  }
  if (isClaimed) {
    await run(
      `insert into settlement_claims (payment_id, account_id, network, proof_key, terms_digest, "authorization",
         since_height, created_at) values ($1, $2, $3, 'proof', $4, '{}', 0, now())`,
      id,
      wallet.accountId,
      network,
      Buffer.alloc(32),
    )
  }
  return id
}

/** Ways in which settlements can be wrong, each with the only invariant that it breaks. */
export const SETTLEMENT_DIVERGENCES: readonly Divergence[] = [
  {
    invariant: 'a settlement of ours that took effect is what its payment names',
    what: 'a payment that is still pending though its settlement is final',
    plant: async (run, sound) =>
      run(
        `insert into payment_transactions (payment_id, chain_transaction_id, effect_index)
         select $1, chain_transaction_id, 9 from payment_transactions where payment_id = $2`,
        await received(run, sound, { status: 'pending' }),
        sound.ids['settled'],
      ),
  },
  {
    invariant:
      'what was claimed is a received payment of the same account, and nothing else is settled without a claim',
    what: 'a settled payment without a claim',
    plant: (run, sound) => received(run, sound, { status: 'settled', isClaimed: false }),
  },
  {
    invariant: 'a success is given out for what is on chain',
    what: 'a success that was given out for an authorization that expired',
    plant: async (run, sound) =>
      run(
        'update settlement_claims set answered_at = now() where payment_id = $1',
        await received(run, sound, { status: 'expired' }),
      ),
  },
  {
    invariant: 'what a place carries is a payment, and what carries it is a place',
    what: 'a settlement that is carried by no place',
    plant: async (run, sound) =>
      run(
        `insert into payment_transactions (payment_id, chain_transaction_id, effect_index) values ($1, 999999999, 0)`,
        await received(run, sound, { status: 'pending' }),
      ),
  },
  {
    invariant:
      'a payment is of an account that exists, and an effect of a payment of the same account',
    what: 'an effect that another account counts',
    plant: async (run, sound) =>
      run(
        `update effects set account_id = 'acct_of_nobody' where payment_id = $1`,
        await received(run, sound, { status: 'settled' }),
      ),
  },
  {
    invariant: 'what a payer was given for an approval is a payment of that amount to that payer',
    what: 'an approval that names a payment to somebody else',
    plant: (run, { ids, network }) =>
      run(
        `insert into sponsored_approvals (network, hash, payer, asset, nonce, raw, amount, day, payment_id, sponsor_account_id, created_at)
         select $1, '0x1', 'another', 'token', 0, '', amount, now()::date, id, account_id, now() from payments where id = $2`,
        ...[network, ids['settled']],
      ),
  },
  {
    invariant: 'a transfer that came in has one record',
    what: 'a deposit beside the claim that it paid',
    plant: async (run, sound) => {
      const { wallet, network } = sound
      await received(run, sound, { status: 'settled' })
      const deposit = `pay_${'3'.repeat(22)}`
      await run(
        `insert into payments (id, account_id, type, wallet_id, network, asset, amount, decimals, sender, recipient, status, sandbox,
           transaction_hash, block_height, block_hash, log_index, occurrence, created_at)
         select $1, $2, 'received', $3, network, asset, amount, decimals, sender, $4, 'confirmed', true,
           transaction_hash, block_height, block_hash, log_index, 0, now() from payments where transaction_hash = 'settlement'`,
        ...[deposit, wallet.accountId, wallet.id, wallet.address],
      )
      await run(
        `insert into payment_tallies (network, type, status, shard, count) values ($1, 'received', 'confirmed', 0, 1)`,
        network,
      )
      await run(
        `insert into payment_counts (account_id, address, type, shard, count) values ($1, $2, 'received', 0, 1)`,
        ...[wallet.accountId, wallet.address],
      )
      await run(
        `insert into outbox (account_id, count, facts, created_at) values ($1, 1, ${paymentFact('$2::text', "'confirmed'")}, now())`,
        ...[wallet.accountId, deposit],
      )
    },
  },
  {
    invariant:
      'a payment that was built for a wallet of its own has its build, which is closed when and only when the payment is over',
    what: 'a build without its payment',
    plant: (run, { wallet, network }) =>
      run(
        `insert into builds (payment_id, account_id, network, sender, recipient, asset, amount, last_valid_block_height,
           expiry_enforced_by_chain, transaction, facts, created_at, expires_at)
         values ('pay_1', $1, $2, 'a', 'b', 'native', 1, 0, false, '', '{}', now(), now())`,
        wallet.accountId,
        network,
      ),
  },
  {
    invariant:
      'a build that settles a proof is for a received payment of its account, which has claimed that proof',
    what: 'a build for a proof that its payment has not claimed',
    plant: async (run, sound) =>
      run(
        `insert into builds (payment_id, account_id, network, sender, recipient, asset, amount, last_valid_block_height,
           expiry_enforced_by_chain, transaction, facts, created_at, expires_at, closed_at, proof_key)
         select id, account_id, network, recipient, recipient, asset, amount, 0, false, '', '{}', now(), now(), now(), 'another'
         from payments where id = $1`,
        await received(run, sound, { status: 'expired' }),
      ),
  },
]
