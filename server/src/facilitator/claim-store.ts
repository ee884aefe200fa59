import type { NetworkId } from '@florin/wire/network.ts'
import type { ExactAuthorization, ProofKey } from '../chains/exact.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Store, Tx } from '../store/postgres.ts'
import type { Claim } from './claim.ts'

/** A claim whose success nobody has yet. */
export type NewClaim = Omit<
  Claim,
  | 'answeredAtMilliseconds'
  | 'facilitator'
  | 'looks'
  | 'builtUntilMilliseconds'
  | 'isSoft'
  | 'judged'
> & {
  /** For a soft one: until when it is the account's alone. */
  readonly softUntilMilliseconds?: number
}

/** Clocks of two instances may differ by less than this. */
const TURN_MARGIN_SECONDS = 5

/** A claim as it is stored. */
export interface ClaimRow {
  readonly payment_id: PaymentId
  readonly account_id: AccountId
  readonly network: NetworkId
  readonly proof_key: string
  readonly terms_digest: Buffer
  readonly x402_version: 1 | 2 | null
  readonly stored: Readonly<Record<string, string>>
  readonly valid_before: string | null
  readonly judged: readonly string[]
  readonly since_height: string
  readonly facilitator: string | null
  readonly built_until: Date | null
  readonly is_soft: boolean
  readonly looks: number
  readonly answered_at: Date | null
}

export const CLAIM_COLUMNS = `payment_id, account_id, network, proof_key, terms_digest, x402_version, "authorization" as stored,
  valid_before, judged, since_height, facilitator, built_until, is_soft, looks, answered_at`

export function claimOf(row: ClaimRow): Claim {
  return {
    paymentId: row.payment_id,
    accountId: row.account_id,
    network: row.network,
    proofKey: row.proof_key as ProofKey,
    termsDigest: new Uint8Array(row.terms_digest),
    x402Version: row.x402_version,
    stored: row.stored,
    validBeforeSeconds: row.valid_before === null ? null : BigInt(row.valid_before),
    judged: row.judged,
    sinceHeight: BigInt(row.since_height),
    facilitator: row.facilitator,
    builtUntilMilliseconds: row.built_until?.getTime() ?? null,
    isSoft: row.is_soft,
    looks: row.looks,
    answeredAtMilliseconds: row.answered_at?.getTime() ?? null,
  }
}

/**
 * Claims a proof for one payment. False when somebody has it, whoever and for whatever: the primary key decides, and a claim that is
 * being made at this moment is waited for.
 */
export async function insertClaim(
  tx: Tx,
  claim: NewClaim,
  nowMilliseconds: number,
): Promise<boolean> {
  return (await insertClaims(tx, [claim], nowMilliseconds)).size === 1
}

/**
 * The same for several at once: which of the payments have one now. Two of one proof are one claim. In the order of the proofs, so that
 * two transactions never wait for each other crosswise.
 */
export async function insertClaims(
  tx: Tx,
  claims: readonly NewClaim[],
  nowMilliseconds: number,
  /** Until when nobody needs to look at them: now, unless the same transaction has them carried. */
  lookAtMilliseconds = nowMilliseconds,
): Promise<ReadonlySet<PaymentId>> {
  const rows = await tx.query<{ payment_id: PaymentId }>(
    'claims_insert',
    `insert into settlement_claims (payment_id, account_id, network, proof_key, terms_digest, "authorization",
       valid_before, since_height, created_at, look_at, x402_version, built_until, is_soft)
     select payment_id, account_id, network, proof_key, decode(terms_digest, 'hex'), stored,
       valid_before, since_height, to_timestamp($2 / 1000.0), to_timestamp($3 / 1000.0), x402_version,
       to_timestamp(soft_until / 1000.0), soft_until is not null
     from json_to_recordset($1::json) as c (payment_id text, account_id text, network text, proof_key text,
       terms_digest text, stored json, valid_before numeric, since_height bigint, x402_version smallint,
       soft_until bigint)
     order by network, proof_key, payment_id
     on conflict do nothing returning payment_id`,
    [
      JSON.stringify(
        claims.map((claim) => ({
          payment_id: claim.paymentId,
          account_id: claim.accountId,
          network: claim.network,
          proof_key: claim.proofKey,
          terms_digest: Buffer.from(claim.termsDigest).toString('hex'),
          stored: claim.stored,
          valid_before: claim.validBeforeSeconds?.toString() ?? null,
          since_height: claim.sinceHeight.toString(),
          x402_version: claim.x402Version,
          soft_until: claim.softUntilMilliseconds ?? null,
        })),
      ),
      nowMilliseconds,
      lookAtMilliseconds,
    ],
  )
  return new Set(rows.map(({ payment_id: paymentId }) => paymentId))
}

/** Whoever claimed the proof, whatever account that is. */
export async function findClaim(
  tx: Tx,
  network: NetworkId,
  proofKey: ProofKey,
): Promise<Claim | undefined> {
  const rows = await tx.query<ClaimRow>(
    'claim_find',
    `select ${CLAIM_COLUMNS} from settlement_claims where network = $1 and proof_key = $2`,
    [network, proofKey],
  )
  return rows[0] && claimOf(rows[0])
}

/** A proof whose claim is asked for. */
export interface AskedClaim {
  readonly network: NetworkId
  readonly proofKey: ProofKey
}

/** The same for several proofs, in their order. */
export async function findClaims(
  tx: Tx,
  asked: readonly AskedClaim[],
): Promise<readonly (Claim | undefined)[]> {
  const rows = await tx.query<ClaimRow>(
    'claims_find',
    // Each by its key, also where this was planned while the table was empty: "offset 0" keeps the planner from reading all of it.
    `select ${CLAIM_COLUMNS} from unnest($1::text[], $2::text[]) as asked (of_network, key) cross join lateral (
       select * from settlement_claims where network = asked.of_network and proof_key = asked.key offset 0) as claims`,
    [asked.map(({ network }) => network), asked.map(({ proofKey }) => proofKey)],
  )
  const claims = new Map(rows.map((row) => [`${row.network} ${row.proof_key}`, claimOf(row)]))
  return asked.map(({ network, proofKey }) => claims.get(`${network} ${proofKey}`))
}

/** The claim behind a payment of the account. */
export async function claimOfPayment(
  tx: Tx,
  accountId: AccountId,
  paymentId: PaymentId,
): Promise<Claim | undefined> {
  const rows = await tx.query<ClaimRow>(
    'claim_of_payment',
    `select ${CLAIM_COLUMNS} from settlement_claims where payment_id = $1 and account_id = $2`,
    [paymentId, accountId],
  )
  return rows[0] && claimOf(rows[0])
}

/**
 * Takes the row lock of a claim, so that one call at a time tries it again; what becomes of that is looked at soon. It is hard now. False
 * where there is none of these terms: what was shown for others is another payment.
 */
export async function lockClaim(
  tx: Tx,
  { paymentId, digest }: { readonly paymentId: PaymentId; readonly digest: Uint8Array },
): Promise<boolean> {
  const rows = await tx.query(
    'claim_lock',
    `update settlement_claims set looks = 0, look_at = null, is_soft = false
     where payment_id = $1 and terms_digest = $2 returning payment_id`,
    [paymentId, Buffer.from(digest)],
  )
  return rows.length === 1
}

/** A signature of a payment as it is stored, until when it can be used, and whether its payer's code was asked about it. */
export type KeptSignature = Pick<ExactAuthorization, 'stored' | 'validBeforeSeconds' | 'awaitsCode'>

/** What keeps of two signatures of a payment the one that can be used longer: until its end the payment is followed. Nothing for null. */
export function keepLonger(stored: `$${number}`, end: `$${number}`): string {
  return `"authorization" = case when valid_before < ${end}::numeric then ${stored}::json else "authorization" end,
       valid_before = case when valid_before < ${end}::numeric then ${end}::numeric else valid_before end`
}

/**
 * Takes the turn to have another facilitator settle a claim, and keeps the signature that it is handed, if that can be used longer. From
 * then on nobody else can have the claim, and it is looked at again from the start. False while an earlier call has the turn, which ends
 * with the time that its request may take, or is of a time to come: then a clock was set back.
 */
export async function takeTurn(
  tx: Tx,
  {
    paymentId,
    facilitator,
    handed,
  }: {
    readonly paymentId: PaymentId
    readonly facilitator: string
    /** Null where it is one that the claim has. */
    readonly handed: KeptSignature | null
  },
  nowMilliseconds: number,
): Promise<{ readonly wasAsked: boolean } | undefined> {
  const [row] = await tx.query<{ was_asked: boolean }>(
    'claim_turn',
    `with before as (select asked_at is not null as was_asked from settlement_claims where payment_id = $1)
     update settlement_claims set facilitator = $2, asked_at = to_timestamp($3 / 1000.0), is_soft = false, looks = 0, look_at = null,
       ${keepLonger('$5', '$6')}
     where payment_id = $1 and answered_at is null
       and (asked_at is null or asked_at <= to_timestamp($3 / 1000.0) - $4 * interval '1 second'
         or asked_at > to_timestamp($3 / 1000.0) + $7 * interval '1 second')
     returning (select was_asked from before)`,
    [
      paymentId,
      facilitator,
      nowMilliseconds,
      limits.remoteSettleSeconds + TURN_MARGIN_SECONDS,
      handed === null ? null : JSON.stringify(handed.stored),
      handed?.validBeforeSeconds?.toString() ?? null,
      limits.clockAheadSeconds,
    ],
  )
  return row && { wasAsked: row.was_asked }
}

/** Ends a turn early: the other facilitator has said that it did nothing, or was not reached. Only the taker's own, told by its time. */
export async function giveTurnBack(
  tx: Tx,
  paymentId: PaymentId,
  takenAtMilliseconds: number,
): Promise<void> {
  await tx.query(
    'claim_turn_back',
    `update settlement_claims set asked_at = null
     where payment_id = $1 and asked_at = to_timestamp($2 / 1000.0)`,
    [paymentId, takenAtMilliseconds],
  )
}

/** Whether another facilitator is being asked about a claim, or was without having answered: it may be settling it. */
export async function isTurnTaken(tx: Tx, paymentId: PaymentId): Promise<boolean> {
  const rows = await tx.query(
    'claim_turn_taken',
    'select 1 from settlement_claims where payment_id = $1 and asked_at is not null',
    [paymentId],
  )
  return rows.length === 1
}

/** Takes the one success of a claim. False when it was given out before: then there is none to give. */
export async function takeAnswer(
  tx: Tx,
  paymentId: PaymentId,
  nowMilliseconds: number,
): Promise<boolean> {
  const rows = await tx.query(
    'claim_answer',
    `update settlement_claims set answered_at = to_timestamp($2 / 1000.0)
     where payment_id = $1 and answered_at is null returning payment_id`,
    [paymentId, nowMilliseconds],
  )
  return rows.length === 1
}

/**
 * Takes the one success of each of several claims, in a transaction of its own: those that had one to give. Locks in one order, so that two
 * instances never wait crosswise.
 */
export async function takeAnswers(
  store: Pick<Store, 'write'>,
  paymentIds: readonly PaymentId[],
  nowMilliseconds: number,
): Promise<ReadonlySet<PaymentId>> {
  const rows = await store.write<{ payment_id: PaymentId }>(
    'claims_answer',
    `with open as (
       select payment_id from settlement_claims where payment_id = any($1) and answered_at is null
       order by payment_id for no key update
     )
     update settlement_claims c set answered_at = to_timestamp($2 / 1000.0) from open
     where c.payment_id = open.payment_id returning c.payment_id`,
    [paymentIds, nowMilliseconds],
  )
  return new Set(rows.map(({ payment_id: paymentId }) => paymentId))
}

/** Takes the one time that a payment of the account counts in the catalogue. False when it has counted. */
export async function countInCatalogue(
  tx: Tx,
  accountId: AccountId,
  paymentId: PaymentId,
): Promise<boolean> {
  const rows = await tx.query(
    'claim_catalogue',
    `update settlement_claims set catalogued = true
     where payment_id = $1 and account_id = $2 and not catalogued returning payment_id`,
    [paymentId, accountId],
  )
  return rows.length === 1
}

/** Notes that a success was given out again under its key: it cannot be given back any more. False when that has just happened. */
export async function keepAnswer(tx: Tx, paymentId: PaymentId): Promise<boolean> {
  const rows = await tx.query(
    'claim_answer_keep',
    `update settlement_claims set answer_kept = true
     where payment_id = $1 and answered_at is not null returning payment_id`,
    [paymentId],
  )
  return rows.length === 1
}

/** Gives a success back that reached nobody: only the taker's own, told by its time. False when it stays given out. */
export async function returnAnswer(
  tx: Tx,
  paymentId: PaymentId,
  takenAtMilliseconds: number,
): Promise<boolean> {
  const rows = await tx.query(
    'claim_answer_back',
    `update settlement_claims set answered_at = null
     where payment_id = $1 and answered_at = to_timestamp($2 / 1000.0) and not answer_kept
     returning payment_id`,
    [paymentId, takenAtMilliseconds],
  )
  return rows.length === 1
}
