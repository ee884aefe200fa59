import type { NetworkId } from '@florin/wire/network.ts'
import { OUTBOX_FACTS, paymentFact } from '../events/test-facts.ts'
import type { Wallet } from '../custody/wallet.ts'
import { TOKEN } from '../payments/test-lane.ts'

/** Runs SQL as the owner of the database, with triggers and references off. */
export type Run = (sql: string, ...values: readonly unknown[]) => Promise<object[]>

/** A sound database that something is planted in: a wallet with payments in every state, by name. */
export interface Sound {
  readonly wallet: Wallet
  readonly network: NetworkId
  readonly ids: Readonly<Record<string, string>>
}

/** One way in which books can be wrong, and the only invariant that it breaks. */
export interface Divergence {
  readonly invariant: string
  readonly what: string
  readonly plant: (run: Run, sound: Sound) => Promise<unknown>
}

/** Moves money between two books of the busy wallet, entries and balances together. */
async function transfer(
  run: Run,
  { wallet, network }: Sound,
  kind: string,
  lines: readonly (readonly [book: string, amount: number, asset?: string])[],
  paymentId: string | null = null,
): Promise<void> {
  const [made] = (await run(
    `insert into ledger_transfers (account_id, kind, payment_id, network, asset, created_at)
     values ($1, $2, $3, $4, 'native', now()) returning id`,
    wallet.accountId,
    kind,
    paymentId,
    network,
  )) as { id: string }[]
  for (const [book, amount, asset = 'native'] of lines) {
    await run(
      `with books as (update ledger_accounts set balance = balance + $4
         where wallet_id = $1 and kind = $2 and asset = $3 returning *)
       insert into ledger_entries (transfer_id, ledger_account_id, account_id, network, asset, amount)
       select $5, id, account_id, network, asset, $4 from books`,
      wallet.id,
      book,
      asset,
      amount,
      made?.id,
    )
  }
}

const PLACE = `(select chain_transaction_id from payment_transactions where payment_id = $1)`
const secondAttempt = (run: Run, { ids }: Sound, terms: string) =>
  run(
    `insert into attempts (chain_transaction_id, number, network, hash, raw, terms, created_at)
     select chain_transaction_id, 2, network, hash || '2', raw, ${terms}, now() from attempts
     where chain_transaction_id = ${PLACE}`,
    ids['pending'],
  )
/** Terms of the first attempt that name call data by its digest. */
const naming = (data: string) =>
  `((terms::jsonb - 'data') || jsonb_build_object('dataDigest', encode(sha256(convert_to(${data}, 'UTF8')), 'hex')))::json`
export const secondAttemptNaming = (run: Run, sound: Sound) =>
  secondAttempt(run, sound, naming(`terms ->> 'data'`))
const SOLANA = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'
const rebuilt = async (run: Run, sound: Sound, looks: readonly boolean[]) => {
  await secondAttempt(run, sound, 'terms')
  await run(
    `update attempts set network = '${SOLANA}' where chain_transaction_id = ${PLACE}`,
    sound.ids['pending'],
  )
  for (const found of looks) {
    await run(
      `insert into expiry_looks (attempt_id, node, finalized_height, looked_at, found)
       select id, gen_random_uuid()::text, 5, now(), $2 from attempts
       where chain_transaction_id = ${PLACE} and number = 1`,
      sound.ids['pending'],
      found,
    )
  }
}

/** A settled deposit with its event, and nothing else. */
const deposited = async (run: Run, { wallet, network }: Sound, accountId: string) => {
  const id = `pay_${'1'.repeat(22)}`
  await run(
    `insert into payments (id, account_id, type, wallet_id, network, asset, amount, decimals, sender, recipient, status,
       sandbox, transaction_hash, block_height, block_hash, log_index, occurrence, created_at)
     values ($1, $2, 'received', $3, $4, 'native', 7, 18, 'x', $5, 'settled', true, 'deposit', 1, 'b', -1, 0, now())`,
    id,
    accountId,
    wallet.id,
    network,
    wallet.address,
  )
  // Triggers are off, these two as well.
  await run(
    `insert into payment_tallies (network, type, status, shard, count) values ($1, 'received', 'settled', 0, 1)`,
    network,
  )
  await run(
    `insert into payment_counts (account_id, address, type, shard, count) values ($1, $2, 'received', 0, 1)`,
    accountId,
    wallet.address,
  )
  await run(
    `insert into outbox (account_id, count, facts, created_at) values ($1, 1, ${paymentFact('$2::text', "'settled'")}, now())`,
    accountId,
    id,
  )
  return id
}
const claimed = (run: Run, { wallet, network }: Sound, id: string | undefined, hash: string) =>
  run(
    `insert into effects (network, transaction_hash, effect_index, direction, payment_id, account_id, created_at)
     values ($1, $2, -1, 'received', $3, $4, now())`,
    network,
    hash,
    id,
    wallet.accountId,
  )
const ONE_EFFECT =
  'a payment that was sent or came in counts one effect, its own, when it is settled and not before'

/** Every invariant of the books has one at least. */
const LANE_FRONT = 'of what waits for a webhook in one lane the first is due, and it alone'

/** Deliveries of one lane, each with the time at which it is due. */
async function waiting(run: Run, { wallet }: Sound, due: readonly string[]): Promise<void> {
  for (const [index, at] of due.entries()) {
    await run(
      `insert into webhook_deliveries (id, account_id, webhook_id, event_id, type, lane, body, due_at)
       values ($1, $2, 'whk', 'evt', 'payment', 'pay', '{}', ${at})`,
      `dlv_${String(index + 1).repeat(22)}`,
      wallet.accountId,
    )
  }
}

export const DIVERGENCES: readonly Divergence[] = [
  {
    invariant: 'every ledger transfer sums to zero per asset',
    what: 'two transfers of one line each',
    plant: async (run, sound) => {
      await transfer(run, sound, 'correction', [['external', 5]])
      await transfer(run, sound, 'correction', [['external', -5]])
    },
  },
  {
    invariant: 'the ledger sums to zero per network and asset',
    what: 'a transfer from one asset into another',
    plant: (run, sound) =>
      transfer(run, sound, 'correction', [
        ['external', 5],
        ['external', -5, TOKEN],
      ]),
  },
  {
    invariant: 'a balance is the sum of its entries',
    what: 'a balance that nothing explains',
    plant: (run) => run(`update ledger_accounts set balance = balance + 1 where kind = 'fees'`),
  },
  {
    invariant:
      'held is never negative, and available by no more than networks took above what was held',
    what: 'more spent than there was',
    plant: async (run, sound) => {
      await run(`alter table ledger_accounts drop constraint ledger_accounts_check`)
      await transfer(run, sound, 'correction', [
        ['available', -5_000],
        ['external', 5_000],
      ])
    },
  },
  {
    invariant: 'what is held is what open holds say',
    what: 'money held for nobody',
    plant: (run, sound) =>
      transfer(run, sound, 'correction', [
        ['available', -5],
        ['held', 5],
      ]),
  },
  {
    invariant: 'a payment under way holds its money, a finished one holds none',
    what: 'the hold of a pending payment closed',
    plant: (run, sound) =>
      transfer(
        run,
        sound,
        'void',
        [
          ['held', -110],
          ['available', 110],
        ],
        sound.ids['pending'],
      ),
  },
  {
    invariant: 'a payment under way holds its money, a finished one holds none',
    what: 'a second hold of a finished payment',
    plant: async (run, sound) => {
      await run(`drop index ledger_closed_once`)
      await run(
        `delete from ledger_transfers where payment_id = $1 and kind = 'void'`,
        sound.ids['dead'],
      )
      await run(
        `delete from ledger_entries where transfer_id not in (select id from ledger_transfers)`,
      )
      await run(
        `update ledger_accounts a set balance = (
           select coalesce(sum(amount), 0) from ledger_entries where ledger_account_id = a.id)`,
      )
    },
  },
  {
    invariant: 'a hold covers amount and fee ceiling',
    what: 'a payment of more than its hold',
    plant: (run, sound) =>
      run(`update payments set amount = amount + 1 where id = $1`, sound.ids['pending']),
  },
  {
    invariant: 'a lane stands behind its last place',
    what: 'a nonce that would be given away again',
    plant: (run) => run(`update lanes set next_nonce = next_nonce - 1 where network = 'eip155:1'`),
  },
  {
    invariant: 'every place has signed bytes from its first attempt on',
    what: 'a place without bytes',
    plant: (run, sound) =>
      run(`delete from attempts where chain_transaction_id = ${PLACE}`, sound.ids['pending']),
  },
  {
    invariant: 'all attempts of a place move the same',
    what: 'a second attempt with another value',
    plant: (run, sound) => secondAttempt(run, sound, `(terms::jsonb || '{"value": "7"}')::json`),
  },
  {
    invariant: 'all attempts of a place move the same',
    what: 'a second attempt with other call data, named by its digest',
    plant: (run, sound) => secondAttempt(run, sound, naming(`'0xother'`)),
  },
  {
    invariant: 'a new lifetime is given only on evidence that every earlier one was over',
    what: 'one look',
    plant: (run, sound) => rebuilt(run, sound, [false]),
  },
  {
    invariant: 'a new lifetime is given only on evidence that every earlier one was over',
    what: 'a look that found it',
    plant: (run, sound) => rebuilt(run, sound, [false, false, true]),
  },
  {
    invariant: 'every place carries a payment and every sent payment has one place',
    what: 'a payment without a place',
    plant: (run, sound) =>
      run(`delete from payment_transactions where payment_id = $1`, sound.ids['pending']),
  },
  {
    invariant: 'a payment and its place tell the same story',
    what: 'a dead place under a pending payment',
    plant: (run, sound) =>
      run(`update chain_transactions set state = 'dead' where id = ${PLACE}`, sound.ids['pending']),
  },
  {
    invariant: 'a payment and its place tell the same story',
    what: 'a confirmed payment whose place was reopened',
    plant: (run, sound) =>
      run(
        `update chain_transactions set state = 'open', mined_hash = null where id = ${PLACE}`,
        sound.ids['confirmed'],
      ),
  },
  {
    invariant: 'the newest event of a payment or of a call to an escrow tells its status',
    what: 'a settled payment that was never told',
    plant: (run, sound) =>
      run(
        `delete from outbox where id in (select id from ${OUTBOX_FACTS} where resource_id = $1 and data ->> 'status' = 'settled')`,
        sound.ids['settled'],
      ),
  },
  {
    invariant: ONE_EFFECT,
    what: 'a settled deposit that counts for nothing',
    plant: (run, sound) => deposited(run, sound, sound.wallet.accountId),
  },
  {
    invariant: ONE_EFFECT,
    what: 'a settled deposit that counts the effect of another transaction',
    plant: async (run, sound) =>
      claimed(run, sound, await deposited(run, sound, sound.wallet.accountId), 'another'),
  },
  {
    invariant: ONE_EFFECT,
    what: 'an effect that a pending payment counts',
    plant: (run, sound) => claimed(run, sound, sound.ids['pending'], 'another'),
  },
  {
    invariant: 'a deposit is a record of the wallet that it came to',
    what: 'a deposit of somebody else',
    plant: async (run, sound) => {
      const other = `acct_${'1'.repeat(22)}`
      await run(`insert into accounts (id, name) values ($1, 'another')`, other)
      const id = await deposited(run, sound, other)
      await claimed(run, sound, id, 'deposit')
      await run(`update effects set account_id = $1 where payment_id = $2`, other, id)
    },
  },
  {
    invariant:
      'a trade is carried by a payment of its account that moves what goes in, and says what came in when and only when that took effect',
    what: 'a payment that carries a trade which is not there',
    plant: (run, sound) =>
      run(`update payments set trade_id = 'trd_none' where id = $1`, sound.ids['settled']),
  },
  {
    invariant: 'a place that was made for the one after it is right before that one',
    what: 'a place made for one that went before it',
    plant: (run, { ids: { pending, settled } }) =>
      run(
        `update chain_transactions set before_payment = $2 where id = ${PLACE}`,
        ...[pending, settled],
      ),
  },
  {
    invariant: 'an idempotency key names something that exists',
    what: 'a key of a refused payment',
    plant: (run) => run(`update idempotency_keys set resource_id = 'pay_none' where key = 'key-5'`),
  },
  {
    invariant: 'no network is stopped and no final block was replaced',
    what: 'a stopped network',
    plant: (run) => run(`update followers set halted_reason = 'why' where network = 'eip155:2'`),
  },
  {
    invariant: 'no network is stopped and no final block was replaced',
    what: 'a replaced final block',
    plant: (run, sound) =>
      run(`update payments set finality_violated = true where id = $1`, sound.ids['settled']),
  },
  {
    invariant: 'an event that is to be given out to webhooks is kept',
    what: 'one that was forgotten',
    plant: (run, { wallet }) =>
      run(
        `insert into webhook_givings (account_id, given_sequence, last_sequence, webhooks) values ($1, 7, 8, '[]')`,
        wallet.accountId,
      ),
  },
  {
    invariant: LANE_FRONT,
    what: 'a lane whose front is gone',
    plant: (run, sound) => waiting(run, sound, ['null']),
  },
  {
    invariant: LANE_FRONT,
    what: 'a lane that is overtaken',
    plant: (run, sound) => waiting(run, sound, ['null', 'now()']),
  },
  {
    invariant: LANE_FRONT,
    what: 'a lane of which two are due at once',
    plant: (run, sound) => waiting(run, sound, ['now()', 'now()']),
  },
  {
    invariant: 'an address has as many payments as are counted for it',
    what: 'a payment counted twice',
    plant: (run) => run(`update payment_counts set count = count + 1 where type = 'sent'`),
  },
  {
    invariant: 'a status has as many payments as are tallied for it',
    what: 'a status that was left without being tallied',
    plant: (run) =>
      run(`update payment_tallies set count = count + 1 where status = 'confirmed' and count > 0`),
  },
]
