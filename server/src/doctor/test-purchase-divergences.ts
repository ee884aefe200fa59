import type { Divergence, Run, Sound } from './test-divergences.ts'

const AUTHORISED =
  'what a seller was authorised to take is a payment of the same wallet, which is closed when and only when it is over'

/** What a seller was given for a payment of the busy wallet. */
const purchased = (run: Run, { wallet, network }: Sound, paymentId: string | undefined) =>
  run(
    `insert into purchases (payment_id, account_id, wallet_id, network, request_digest, url, proof_key, stored, valid_before,
       since_height, header_name, header, shown, joinable, used_hash, used_height, used_block_hash, used_log_index, created_at)
     select id, account_id, $2, $3, decode(repeat('00', 32), 'hex'), 'https://a.example/', 'planted',
       json_build_object('value', amount::text, 'to', recipient), 1, 1, 'X-PAYMENT', 'e30=', 1, false,
       transaction_hash, block_height, block_hash, 0, now() from payments where id = $1`,
    ...[paymentId, wallet.id, network],
  )

/** What can be wrong with purchases. */
export const PURCHASE_DIVERGENCES: readonly Divergence[] = [
  {
    invariant: 'what a seller took is the effect of one payment alone',
    what: 'a purchase that was put aside, since another payment has its effect',
    plant: async (run, sound) => {
      const { pending } = sound.ids
      await purchased(run, sound, pending)
      await run(`update purchases set look_at = 'infinity' where payment_id = $1`, pending)
    },
  },
  {
    invariant: 'a purchase has come to its end a day after it could be used no more',
    what: 'a purchase whose authorization was used, and nobody shows by what',
    plant: (run, sound) => purchased(run, sound, sound.ids['pending']),
  },
  {
    invariant: AUTHORISED,
    what: 'a purchase of a payment that is over, still open',
    plant: (run, sound) => purchased(run, sound, sound.ids['settled']),
  },
  {
    invariant: AUTHORISED,
    what: 'a purchase by upto that does not say what was taken',
    plant: async (run, sound) => {
      const { settled } = sound.ids
      await purchased(run, sound, settled)
      const stored = `(stored::jsonb || '{"pays": "upto"}')::json`
      const change = `update purchases set closed_at = now(), stored = ${stored} where payment_id = $1`
      await run(change, settled)
    },
  },
  {
    invariant: AUTHORISED,
    what: 'a purchase of which the ledger gave away less than its payment says',
    plant: async (run, sound) => {
      const { settled } = sound.ids
      await purchased(run, sound, settled)
      await run(`update purchases set closed_at = now() where payment_id = $1`, settled)
      for (const [book, by] of [
        ['external', -1],
        ['available', 1],
      ] as const) {
        await run(
          `with entry as (update ledger_entries e set amount = e.amount + $2
             from ledger_transfers t, ledger_accounts a
             where t.id = e.transfer_id and a.id = e.ledger_account_id and t.payment_id = $1 and t.kind = 'post'
               and a.kind = $3 returning a.id)
           update ledger_accounts set balance = balance + $2 where id in (select id from entry)`,
          ...[settled, by, book],
        )
      }
    },
  },
]
