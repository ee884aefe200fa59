import type { DeadReason } from '../sender/built-records.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type { Address } from '../chains/chain.ts'
import { proofKey } from '../chains/exact.ts'
import type { ProofKey } from '../chains/exact.ts'
import type { AccountId, PaymentId, TradeId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'
import type { BuiltTerms } from './build.ts'

interface TermsRow {
  readonly payment_id: PaymentId
  readonly account_id: AccountId
  readonly sender: Address
  readonly recipient: Address
  readonly asset: string
  readonly amount: string
  readonly commitment: string | null
  readonly proof_key: string | null
  readonly nonce: string | null
  readonly trade_id: TradeId | null
}

/** A place of a sender, as a transaction takes it. */
export interface TakenPlace {
  readonly sender: Address
  readonly nonce: bigint
}

/** What a transaction pays at its place, for a build that only these terms tell. */
export interface PaidTerms extends TakenPlace {
  readonly asset: string
  readonly recipient: string
  readonly amount: bigint
}

/**
 * The live builds without an effect that transactions of these senders may be: by what they carry, or by the places they take. Oldest
 * first. Anybody can have any number built for one place. Of those that carry nothing it is the oldest of each account whose terms are
 * paid there, and whichever the bytes were taken as; of all others, whose end their place only shows, the newest; what is left out is found
 * over when it is looked at in its turn.
 */
export async function liveBuilds(
  tx: Tx,
  network: NetworkId,
  marks: {
    readonly senders: readonly Address[]
    readonly commitments: readonly string[]
    readonly proofKeys: readonly ProofKey[]
    readonly places: readonly TakenPlace[]
    readonly paid: readonly PaidTerms[]
    readonly submitted: readonly PaymentId[]
  },
  most: { readonly perPlace: number; readonly inAll: number },
): Promise<readonly BuiltTerms[]> {
  const rows = await tx.query<TermsRow>(
    'builds_live_marked',
    // From account to account, by the index alone: how many builds each of them has makes no difference.
    `with recursive unmarked as (
       select paid.*, b.account_id, b.created_at, b.payment_id from unnest($8::text[], $9::text[], $10::text[]) as paid (sender, nonce, terms)
       cross join lateral (
         select account_id, created_at, payment_id from builds
         where network = $1 and sender = paid.sender and unmarked_terms = paid.terms and closed_at is null and seen_height is null
         order by account_id, created_at, payment_id limit 1
       ) b
       union all
       select u.sender, u.nonce, u.terms, b.account_id, b.created_at, b.payment_id from unmarked u
       cross join lateral (
         select account_id, created_at, payment_id from builds
         where network = $1 and sender = u.sender and unmarked_terms = u.terms and account_id > u.account_id
           and closed_at is null and seen_height is null
         order by account_id, created_at, payment_id limit 1
       ) b
     ), marked as (
       (select distinct on (sender, nonce, account_id) payment_id from unmarked
        order by sender, nonce, account_id, created_at, payment_id)
       union
       (select of_place.payment_id from unnest($4::text[], $5::text[]) as place (sender, nonce)
        cross join lateral (
          select payment_id from builds
          where network = $1 and sender = place.sender and nonce_text = place.nonce and closed_at is null and seen_height is null
          order by created_at desc limit $6
        ) of_place limit $11)
       union select payment_id from builds
       where network = $1 and commitment = any (array(select decode(c, 'hex') from unnest($3::text[]) as c))
       union select payment_id from builds where network = $1 and proof_key = any ($7::text[]) and closed_at is null
       union select payment_id from builds where network = $1 and payment_id = any ($12::text[])
     )
     select payment_id, account_id, sender, recipient, asset, amount, encode(commitment, 'hex') as commitment, proof_key, nonce, trade_id
     from builds
     -- By their keys alone: all that are live of these senders may be many more.
     where payment_id = any (array(select payment_id from marked))
       and sender = any($2) and coalesce(closed_at is null, false) and seen_height is null
     order by created_at, payment_id for no key update`,
    [
      network,
      marks.senders,
      marks.commitments,
      marks.places.map(({ sender }) => sender),
      marks.places.map(({ nonce }) => nonce.toString()),
      most.perPlace,
      marks.proofKeys,
      marks.paid.map(({ sender }) => sender),
      marks.paid.map(({ nonce }) => nonce.toString()),
      // As the database writes them.
      marks.paid.map(({ nonce, asset, recipient, amount }) =>
        [nonce, asset, recipient, amount].join(' '),
      ),
      most.inAll,
      marks.submitted,
    ],
  )
  return rows.map((row) => ({
    paymentId: row.payment_id,
    accountId: row.account_id,
    sender: row.sender,
    recipient: row.recipient,
    asset: row.asset,
    amount: BigInt(row.amount),
    commitment: row.commitment,
    proofKey: row.proof_key === null ? null : proofKey(row.proof_key),
    nonce: row.nonce === null ? null : BigInt(row.nonce),
    tradeId: row.trade_id,
  }))
}

/** Notes where the effects of builds were seen. */
export async function noteSeen(
  tx: Tx,
  seen: readonly { readonly paymentId: PaymentId; readonly height: bigint }[],
): Promise<void> {
  if (seen.length === 0) return
  await tx.query(
    'builds_seen',
    `update builds b set seen_height = s.height
     from unnest($1::text[], $2::bigint[]) as s (payment_id, height) where b.payment_id = s.payment_id`,
    [seen.map(({ paymentId }) => paymentId), seen.map(({ height }) => height.toString())],
  )
}

/** Notes that builds can take no effect any more once the chain that was read is final up to a height. The first word stands. */
export async function noteDead(
  tx: Tx,
  dead: readonly {
    readonly paymentId: PaymentId
    readonly height: bigint
    readonly reason: DeadReason
  }[],
): Promise<void> {
  if (dead.length === 0) return
  await tx.query(
    'builds_dead',
    `update builds b set dead_height = d.height, dead_reason = d.reason
     from unnest($1::text[], $2::bigint[], $3::text[]) as d (payment_id, height, reason)
     where b.payment_id = d.payment_id and b.dead_height is null and b.closed_at is null`,
    [
      dead.map(({ paymentId }) => paymentId),
      dead.map(({ height }) => height.toString()),
      dead.map(({ reason }) => reason),
    ],
  )
}

/** Takes back what blocks above a height had shown of live builds: those called dead there, those seen there, and of these the settlements. */
export async function forgetAbove(
  tx: Tx,
  network: NetworkId,
  height: bigint,
): Promise<{
  readonly undead: readonly PaymentId[]
  readonly unseen: readonly PaymentId[]
  readonly unsettled: readonly PaymentId[]
}> {
  const unseen = await tx.query<{ payment_id: PaymentId; settles: boolean }>(
    'builds_unseen',
    `update builds set seen_height = null where network = $1 and seen_height > $2 and closed_at is null
     returning payment_id, proof_key is not null as settles`,
    [network, height.toString()],
  )
  const rows = await tx.query<{ payment_id: PaymentId }>(
    'builds_undead',
    `update builds set dead_height = null, dead_reason = null
     where network = $1 and dead_height > $2 and closed_at is null returning payment_id`,
    [network, height.toString()],
  )
  const unsettled = unseen.filter((row) => row.settles).map((row) => row.payment_id)
  return {
    undead: rows.map((row) => row.payment_id),
    unseen: unseen.map((row) => row.payment_id),
    unsettled,
  }
}

/** Closes settlements that were seen at or below a final height, at most `count`: their claims follow them from there. How many. */
export async function closeSettled(
  tx: Tx,
  network: NetworkId,
  {
    height,
    count,
    nowMilliseconds,
  }: {
    readonly height: bigint
    readonly count: number
    readonly nowMilliseconds: number
  },
): Promise<number> {
  const rows = await tx.query(
    'builds_close_settled',
    `update builds set closed_at = to_timestamp($4 / 1000.0) where payment_id in (
       select payment_id from builds
       where network = $1 and seen_height <= $2 and closed_at is null and proof_key is not null limit $3)
     returning payment_id`,
    [network, height.toString(), count, nowMilliseconds],
  )
  return rows.length
}

/** A live build that a final height proves dead, and what that means for its payment. */
export interface DeadBuild {
  readonly paymentId: PaymentId
  readonly reason: DeadReason
  /** `sent`: the payment is over. `received`: so is the one that only these bytes could settle. `none`: others may settle it yet. */
  readonly ends: 'sent' | 'received' | 'none'
}

/** Live builds that a final height proves dead. Not those of which a block holds what nobody has read: that may be their effect. */
export async function provenDead(
  tx: Tx,
  network: NetworkId,
  height: bigint,
  count: number,
): Promise<readonly DeadBuild[]> {
  const rows = await tx.query<{
    payment_id: PaymentId
    dead_reason: DeadReason
    ends: DeadBuild['ends']
  }>(
    'builds_proven_dead',
    `select payment_id, dead_reason,
       case when proof_key is null then 'sent' when nonce is null then 'received' else 'none' end as ends from builds
     where network = $1 and dead_height <= $2 and closed_at is null and seen_height is null
       and not exists (select from unread_builds u where u.payment_id = builds.payment_id)
     order by dead_height, payment_id limit $3`,
    [network, height.toString(), count],
  )
  return rows.map(({ payment_id: paymentId, dead_reason: reason, ends }) => ({
    paymentId,
    reason,
    ends,
  }))
}

/** Nothing is looked for any more. */
export async function closeBuilds(
  tx: Tx,
  paymentIds: readonly PaymentId[],
  nowMilliseconds: number,
): Promise<void> {
  if (paymentIds.length === 0) return
  await tx.query(
    'builds_close',
    `update builds set closed_at = to_timestamp($2 / 1000.0) where payment_id = any($1)`,
    [paymentIds, nowMilliseconds],
  )
}

/** A build past its time of which the chain has shown nothing. */
export interface SilentBuild {
  readonly paymentId: PaymentId
  readonly sender: Address
  readonly nonce: bigint | null
  readonly lastValidBlockHeight: bigint
  /** The bytes as they were built; none where it has a place, which decides about it. */
  readonly raw: Uint8Array
  /** Its payment is a received one, which others may settle, too. */
  readonly isSettlement: boolean
}

/**
 * Builds past their time that are due, the longest due first; each is then noted as looked at. Accounts take turns: who builds without an
 * end is looked at as often as there is room for beside the others. The older one is the less often it is looked at, because on EVM one
 * that nobody sends may stay for ever, and one that is dormant no more: the blocks show it when it is sent after all.
 */
export async function takeSilentBuilds(
  tx: Tx,
  network: NetworkId,
  nowMilliseconds: number,
  count: number,
): Promise<readonly SilentBuild[]> {
  const rows = await tx.query<{
    payment_id: PaymentId
    sender: Address
    nonce: string | null
    last_valid_block_height: string
    raw: Buffer
    is_settlement: boolean
  }>(
    'builds_silent',
    // From account to account, by the index alone: what is not due costs nothing. Somebody is at those that are locked.
    `with recursive builders as (
       (select account_id from builds
        where network = $1 and closed_at is null and dead_height is null and seen_height is null and look_at < 'infinity'
        order by account_id limit 1)
       union all
       select next.account_id from builders a cross join lateral (
         select account_id from builds
         where network = $1 and account_id > a.account_id
           and closed_at is null and dead_height is null and seen_height is null and look_at < 'infinity'
         order by account_id limit 1
       ) next
     ), due as (
       select of_account.* from builders a cross join lateral (
         select account_id, payment_id, look_at from builds
         where network = $1 and account_id = a.account_id and look_at <= to_timestamp($2 / 1000.0)
           and closed_at is null and dead_height is null and seen_height is null and look_at < 'infinity'
         order by look_at limit $3
       ) of_account
       union
       -- Noted before a clock was set back, also as dormant.
       (select account_id, payment_id, look_at from builds
        where network = $1 and looked_at > to_timestamp($5 / 1000.0)
          and closed_at is null and dead_height is null and seen_height is null
        order by looked_at limit $3)
     ), chosen as (
       select payment_id from (
         select payment_id, look_at, row_number() over (partition by account_id order by look_at, payment_id) as turn from due
       ) as turns order by turn, look_at, payment_id limit $3
     ), locked as (
       select payment_id, greatest(interval '3 seconds', (to_timestamp($2 / 1000.0) - created_at) / 4) as pause from builds
       where payment_id = any (array(select payment_id from chosen))
         and coalesce(closed_at is null, false) and dead_height is null and seen_height is null
       order by created_at, payment_id for no key update skip locked
     ), looked as (
       update builds b set looked_at = to_timestamp($2 / 1000.0),
         look_at = case when to_timestamp($2 / 1000.0) + l.pause < b.created_at + $4 * interval '1 day'
           then to_timestamp($2 / 1000.0) + l.pause else 'infinity' end
       from locked l where b.payment_id = l.payment_id
       returning b.payment_id, b.sender, b.nonce, b.last_valid_block_height,
         case when b.nonce is null then b.transaction else ''::bytea end as raw, b.proof_key, b.created_at
     )
     select payment_id, sender, nonce, last_valid_block_height, raw, proof_key is not null as is_settlement from looked
     where created_at > to_timestamp($2 / 1000.0) - $4 * interval '1 day'`,
    [
      network,
      nowMilliseconds,
      count,
      limits.dormantBuildDays,
      nowMilliseconds + limits.clockAheadSeconds * 1000,
    ],
  )
  return rows.map((row) => ({
    paymentId: row.payment_id,
    sender: row.sender,
    nonce: row.nonce === null ? null : BigInt(row.nonce),
    lastValidBlockHeight: BigInt(row.last_valid_block_height),
    raw: row.raw,
    isSettlement: row.is_settlement,
  }))
}
