import type { BaseUnits } from '@florin/wire/amount.ts'
import { baseUnits } from '@florin/wire/amount.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type {
  Address,
  SignedTransaction,
  Terms,
  TransactionHash,
  Verdict,
} from '../chains/chain.ts'
import type { PaymentId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Store, Tx } from '../store/postgres.ts'

/** A place in a lane filled with signed bytes, ready to be stored. */
export interface NewTransaction {
  readonly nonce: bigint
  readonly terms: Terms
  readonly signed: SignedTransaction
  readonly feeCeiling: BaseUnits
  /** Whose transfers it carries, in the order of its effects. */
  readonly paymentIds: readonly PaymentId[]
  /** Of a place that carries nothing itself and has to be in before the one that carries this payment. */
  readonly beforePayment?: PaymentId
  /** The request that it is signed for; left out when nobody asked at this moment. */
  readonly requestId?: string | undefined
}

/** Stored bytes that a node may have to hear again. */
export interface StoredAttempt {
  readonly attemptId: string
  readonly transactionId: string
  readonly laneAddress: Address
  readonly nonce: bigint
  readonly number: number
  readonly hash: TransactionHash
  readonly raw: Uint8Array
  /** As they were kept beside these bytes. */
  readonly terms: Terms
  readonly feeCeiling: BaseUnits
  /** The request that the place was signed for, whichever attempt this is. */
  readonly requestId: string | null
  readonly wasSent: boolean
}

interface AttemptRow {
  readonly attempt_id: string
  readonly transaction_id: string
  readonly lane_address: string
  readonly nonce: string
  readonly number: number
  readonly hash: string
  readonly raw: Buffer
  readonly terms: Terms
  readonly fee_ceiling: string
  readonly request_id: string | null
  readonly was_sent: boolean
}

const ATTEMPT_COLUMNS = `a.id as attempt_id, t.id as transaction_id, t.lane_address, t.nonce, a.number, a.hash,
  a.raw, a.terms, t.fee_ceiling, a.last_sent_at is not null as was_sent,
  (select f.request_id from attempts f where f.chain_transaction_id = t.id and f.number = 1) as request_id`

// The rows were written by this file from branded values; reading them back restores the brands.
function attemptOf(row: AttemptRow): StoredAttempt {
  return {
    attemptId: row.attempt_id,
    transactionId: row.transaction_id,
    laneAddress: row.lane_address as Address,
    nonce: BigInt(row.nonce),
    number: row.number,
    hash: row.hash as TransactionHash,
    raw: new Uint8Array(row.raw),
    terms: row.terms,
    feeCeiling: baseUnits(row.fee_ceiling),
    requestId: row.request_id,
    wasSent: row.was_sent,
  }
}

/** Stores places, first attempts and whose they are, in one statement whatever the count. */
export async function storeTransactions(
  tx: Tx,
  { network, address }: { network: NetworkId; address: Address },
  transactions: readonly NewTransaction[],
  nowMilliseconds: number,
): Promise<void> {
  if (transactions.length === 0) return
  await tx.query(
    'transactions_store',
    `with given as (
       select * from json_to_recordset($1::json) as g (nonce bigint, terms json, hash text, raw text,
         fee_ceiling numeric, payment_ids text[], before_payment text, request_id text)
     ), places as (
       insert into chain_transactions (network, lane_address, nonce, fee_ceiling, before_payment, created_at)
       select $2, $3, nonce, fee_ceiling, before_payment, to_timestamp($4 / 1000.0) from given order by nonce
       returning id, nonce
     ), signed as (
       insert into attempts (chain_transaction_id, number, network, hash, raw, terms, created_at, request_id)
       select p.id, 1, $2, g.hash, decode(g.raw, 'hex'), g.terms, to_timestamp($4 / 1000.0), g.request_id
       from places p join given g using (nonce)
     )
     insert into payment_transactions (payment_id, chain_transaction_id, effect_index)
     select payment.id, p.id, payment.position - 1
     from places p join given g using (nonce),
       unnest(g.payment_ids) with ordinality as payment (id, position)`,
    [
      JSON.stringify(
        transactions.map((transaction) => ({
          nonce: transaction.nonce.toString(),
          terms: transaction.signed.kept ?? transaction.terms,
          hash: transaction.signed.hash,
          raw: Buffer.from(transaction.signed.raw).toString('hex'),
          fee_ceiling: transaction.feeCeiling.toString(),
          payment_ids: transaction.paymentIds,
          before_payment: transaction.beforePayment ?? null,
          request_id: transaction.requestId ?? null,
        })),
      ),
      network,
      address,
      nowMilliseconds,
    ],
  )
}

/** Adds the next attempt to a place that is still open. False when it no longer is, or another instance was first: nothing was stored. */
export async function storeNextAttempt(
  tx: Tx,
  attempt: Pick<StoredAttempt, 'transactionId' | 'number'>,
  next: { terms: Terms; signed: SignedTransaction },
  network: NetworkId,
  nowMilliseconds: number,
): Promise<boolean> {
  const rows = await tx.query<{ id: string }>(
    'transactions_next_attempt',
    `insert into attempts (chain_transaction_id, number, network, hash, raw, terms, created_at)
     select t.id, $2, $3, $4, $5, $6, to_timestamp($7 / 1000.0)
     from chain_transactions t where t.id = $1 and t.state = 'open'
     on conflict (chain_transaction_id, number) do nothing
     returning id`,
    [
      attempt.transactionId,
      attempt.number + 1,
      network,
      next.signed.hash,
      Buffer.from(next.signed.raw),
      JSON.stringify(next.signed.kept ?? next.terms),
      nowMilliseconds,
    ],
  )
  return rows.length === 1
}

/**
 * The newest attempt of each open place that was never sent, or not since `notSentSinceMilliseconds`, or by a clock that was ahead and has been set
 * back: the longest unsent and the lowest nonces first.
 */
export async function attemptsToSend(
  tx: Tx,
  network: NetworkId,
  {
    notSentSinceMilliseconds,
    nowMilliseconds,
  }: { readonly notSentSinceMilliseconds: number; readonly nowMilliseconds: number },
  count: number,
): Promise<readonly StoredAttempt[]> {
  const rows = await tx.query<AttemptRow>(
    'attempts_to_send',
    `select ${ATTEMPT_COLUMNS}
     from chain_transactions t
     join lateral (select * from attempts where chain_transaction_id = t.id order by number desc limit 1) a on true
     where t.network = $1 and t.state = 'open'
       and (a.last_sent_at is null or a.last_sent_at < to_timestamp($2 / 1000.0) or a.last_sent_at > to_timestamp($4 / 1000.0))
     order by a.last_sent_at nulls first, t.nonce limit $3`,
    [network, notSentSinceMilliseconds, count, nowMilliseconds + limits.clockAheadSeconds * 1000],
  )
  return rows.map(attemptOf)
}

/**
 * The newest attempt of the lowest open place of each lane: the ones that hold the others up. Those that were not
 * sent for longest come first, so that many stuck lanes take turns; before them those whose turn has begun, by the ids of their places
 * or by their lanes: what is sent between two looks would end it.
 */
export async function laneFronts(
  tx: Tx,
  network: NetworkId,
  count: number,
  {
    places = [],
    lanes = [],
  }: { readonly places?: Iterable<string>; readonly lanes?: Iterable<Address> } = {},
): Promise<readonly StoredAttempt[]> {
  const rows = await tx.query<AttemptRow>(
    'attempts_lane_fronts',
    `select ${ATTEMPT_COLUMNS}
     from (select distinct on (lane_address) * from chain_transactions
           where network = $1 and state = 'open' order by lane_address, nonce) t
     join lateral (select * from attempts where chain_transaction_id = t.id order by number desc limit 1) a on true
     order by (t.id = any($3::bigint[]) or t.lane_address = any($4)) desc, a.last_sent_at nulls first limit $2`,
    [network, count, [...places], [...lanes]],
  )
  return rows.map(attemptOf)
}

/** What the nodes said, for many attempts in one statement. Sending is safe to repeat, so this may be lost. */
export async function recordVerdicts(
  store: Pick<Store, 'write'>,
  network: NetworkId,
  verdicts: readonly { hash: TransactionHash; verdict: Verdict }[],
  nowMilliseconds: number,
): Promise<void> {
  await store.write(
    'attempts_verdicts',
    `update attempts a set last_sent_at = to_timestamp($4 / 1000.0), last_verdict = v.verdict,
       first_accepted_at = coalesce(first_accepted_at,
         case when v.verdict in ('accepted', 'known') then to_timestamp($4 / 1000.0) end)
     from unnest($2::text[], $3::text[]) as v (hash, verdict)
     where a.network = $1 and a.hash = v.hash`,
    [
      network,
      verdicts.map(({ hash }) => hash),
      verdicts.map(({ verdict }) =>
        'reason' in verdict ? `${verdict.kind}: ${verdict.reason}`.slice(0, 200) : verdict.kind,
      ),
      nowMilliseconds,
    ],
  )
}

/** Every attempt hash of the given places, for looking all of them up. */
export async function hashesOf(
  tx: Tx,
  transactionIds: readonly string[],
): Promise<ReadonlyMap<string, readonly TransactionHash[]>> {
  const rows = await tx.query<{ chain_transaction_id: string; hashes: TransactionHash[] }>(
    'attempts_hashes',
    `select chain_transaction_id, array_agg(hash order by number) as hashes from attempts
     where chain_transaction_id = any($1::bigint[]) group by chain_transaction_id`,
    [transactionIds],
  )
  return new Map(rows.map((row) => [row.chain_transaction_id, row.hashes]))
}

/** One line of a payment's attempts, as a caller may see it. */
export interface AttemptView {
  readonly number: number
  readonly hash: TransactionHash
  readonly createdAtMilliseconds: number
  readonly lastSentAtMilliseconds: number | null
  readonly acceptedAtMilliseconds: number | null
  /** The request that it was signed for; null for what the service made by itself. */
  readonly requestId: string | null
}

/** The attempts of each payment, oldest first. */
export async function attemptsOfPayments(
  tx: Tx,
  paymentIds: readonly PaymentId[],
): Promise<ReadonlyMap<string, readonly AttemptView[]>> {
  const rows = await tx.query<{
    payment_id: string
    number: number
    hash: TransactionHash
    created_at: Date
    last_sent_at: Date | null
    first_accepted_at: Date | null
    request_id: string | null
  }>(
    'attempts_of_payments',
    `select pt.payment_id, a.number, a.hash, a.created_at, a.last_sent_at, a.first_accepted_at,
       case when pt.effect_index = 0 then a.request_id end as request_id
     from payment_transactions pt join attempts a using (chain_transaction_id)
     where pt.payment_id = any($1) order by pt.payment_id, a.chain_transaction_id, a.number`,
    [paymentIds],
  )
  const views = new Map<string, AttemptView[]>()
  for (const row of rows) {
    const list = views.get(row.payment_id) ?? []
    list.push({
      number: row.number,
      hash: row.hash,
      createdAtMilliseconds: row.created_at.getTime(),
      lastSentAtMilliseconds: row.last_sent_at?.getTime() ?? null,
      acceptedAtMilliseconds: row.first_accepted_at?.getTime() ?? null,
      requestId: row.request_id,
    })
    views.set(row.payment_id, list)
  }
  return views
}
