import type { NetworkId } from '@florin/wire/network.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { cameToNothing, lonePlace } from '../sender/lone-place-store.ts'
import type { Tx } from '../store/postgres.ts'
import type { ReceivedRecords } from './records.ts'

/** What a payer calls its payment, and which payment that is. */
export interface NamedPayment {
  readonly accountId: AccountId
  readonly payer: string
  readonly identifier: string
  readonly network: NetworkId
  /** Of its proof; of a deposit into an escrow that of its call. */
  readonly proofKey: string
}

/**
 * Takes the name for this payment, in the transaction that claims it: one row per account, payer and name. False when another payment has
 * it that was paid or may yet be.
 */
export async function takeIdentifier(
  tx: Tx,
  records: Pick<ReceivedRecords, 'state'>,
  named: NamedPayment,
  nowMilliseconds: number,
): Promise<boolean> {
  if ((await takeFreeIdentifiers(tx, [named], nowMilliseconds)).has(named)) return true
  // Whose the row is, is locked by now, and what was committed with it is seen from here.
  if (await isIdentifierTaken(tx, records, named)) return false
  await tx.query(
    'identifier_take_over',
    `update payment_identifiers set network = $4, proof_key = $5,
       reserved_at = greatest(reserved_at, to_timestamp($6 / 1000.0))
     where account_id = $1 and payer = $2 and identifier = $3`,
    [...wordsOf(named), nowMilliseconds],
  )
  return true
}

/**
 * Takes names that are free or these payments' own: which of them have theirs. Each name at most once, and in one order, so that two
 * transactions never wait for each other crosswise.
 */
export async function takeFreeIdentifiers(
  tx: Tx,
  named: readonly NamedPayment[],
  nowMilliseconds: number,
): Promise<ReadonlySet<NamedPayment>> {
  if (named.length === 0) return new Set()
  const rows = await tx.query<{ account_id: string; payer: string; identifier: string }>(
    'identifiers_take',
    `insert into payment_identifiers as known (account_id, payer, identifier, network, proof_key, reserved_at)
     select account_id, payer, identifier, network, proof_key, to_timestamp($2 / 1000.0)
     from json_to_recordset($1::json) as n (account_id text, payer text, identifier text, network text, proof_key text)
     order by account_id, payer, identifier
     on conflict (account_id, payer, identifier) do update set reserved_at = greatest(known.reserved_at, excluded.reserved_at)
     where (known.network, known.proof_key) = (excluded.network, excluded.proof_key)
     returning account_id, payer, identifier`,
    [
      JSON.stringify(
        named.map(({ accountId, payer, identifier, network, proofKey }) => ({
          ...{ account_id: accountId, payer, identifier, network, proof_key: proofKey },
        })),
      ),
      nowMilliseconds,
    ],
  )
  const taken = new Set(
    rows.map(({ account_id: accountId, payer, identifier }) =>
      nameKey({ accountId, payer, identifier }),
    ),
  )
  return new Set(named.filter((each) => taken.has(nameKey(each))))
}

/** The row of a name, as text. */
export function nameKey(name: {
  readonly accountId: string
  readonly payer: string
  readonly identifier: string
}): string {
  return `${name.accountId} ${name.payer} ${name.identifier}`
}

/** Whether another payment, or deposit, has the name: one that was claimed, and did not come to nothing. */
export async function isIdentifierTaken(
  tx: Tx,
  records: Pick<ReceivedRecords, 'state'>,
  named: NamedPayment,
): Promise<boolean> {
  const rows = await tx.query<{
    payment_id: PaymentId | null
    place: string | null
    is_given: boolean | null
  }>(
    'identifier_holder',
    `select c.payment_id, e.chain_transaction_id as place, e.given_at is not null as is_given from payment_identifiers known
     left join settlement_claims c using (account_id, network, proof_key)
     left join escrow_calls e on e.network = known.network and e.call_key = known.proof_key and e.account_id = known.account_id
     where known.account_id = $1 and known.payer = $2 and known.identifier = $3 and (known.network, known.proof_key) <> ($4, $5)`,
    wordsOf(named),
  )
  const { payment_id: paymentId = null, place = null, is_given: isGiven } = rows[0] ?? {}
  // A success that was given stays given, whoever's transaction it was of, and whatever became of that.
  if (isGiven === true) return true
  if (place !== null) {
    const made = await lonePlace(tx, place)
    return made !== undefined && !cameToNothing(made)
  }
  if (paymentId === null) return false
  const state = await records.state(tx, named.accountId, paymentId)
  return state?.status !== 'expired' && state?.status !== 'failed'
}

function wordsOf({ accountId, payer, identifier, network, proofKey }: NamedPayment) {
  return [accountId, payer, identifier, network, proofKey]
}

const FORGOTTEN_PER_STATEMENT_MAX = 10_000

/** Forgets names past their days, the oldest first, so many at a time. A payment that may yet be paid keeps its own. Says whether more may wait. */
export async function forgetIdentifiers(
  tx: Tx,
  nowMilliseconds: number,
  max = FORGOTTEN_PER_STATEMENT_MAX,
): Promise<boolean> {
  const removed = await tx.query(
    'identifier_forget',
    `delete from payment_identifiers where ctid = any(array(
       select known.ctid from payment_identifiers known
       where reserved_at < to_timestamp($1 / 1000.0) - $2 * interval '1 day' and not exists (
         select from settlement_claims c
         where c.network = known.network and c.proof_key = known.proof_key and c.closed_at is null)
       order by reserved_at limit $3))
     returning 1`,
    [nowMilliseconds, limits.paymentIdentifierKeptDays, max],
  )
  return removed.length >= max
}
