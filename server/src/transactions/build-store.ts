import type { NetworkId } from '@florin/wire/network.ts'
import type { Address } from '../chains/chain.ts'
import { proofKey } from '../chains/exact.ts'
import type { ProofKey } from '../chains/exact.ts'
import type { AccountId, PaymentId, TradeId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'
import type { Build, BuildFacts } from './build.ts'

interface BuildRow {
  readonly payment_id: PaymentId
  readonly account_id: AccountId
  readonly network: NetworkId
  readonly sender: Address
  readonly recipient: Address
  readonly asset: string
  readonly amount: string
  readonly commitment: string | null
  readonly proof_key: string | null
  readonly nonce: string | null
  readonly last_valid_block_height: string
  readonly expiry_enforced_by_chain: boolean
  readonly transaction: Buffer
  readonly facts: BuildFacts
  readonly created_at: Date
  readonly expires_at: Date
  readonly trade_id: TradeId | null
}

const COLUMNS = `payment_id, account_id, network, sender, recipient, asset, amount, encode(commitment, 'hex') as commitment,
  proof_key, nonce, last_valid_block_height, expiry_enforced_by_chain, transaction, facts, created_at, expires_at,
  trade_id`

// The rows were written by this file from branded values; reading them back restores the brands.
function buildOf(row: BuildRow): Build {
  return {
    paymentId: row.payment_id,
    accountId: row.account_id,
    network: row.network,
    sender: row.sender,
    recipient: row.recipient,
    asset: row.asset,
    amount: BigInt(row.amount),
    commitment: row.commitment,
    proofKey: row.proof_key === null ? null : proofKey(row.proof_key),
    nonce: row.nonce === null ? null : BigInt(row.nonce),
    lastValidBlockHeight: BigInt(row.last_valid_block_height),
    expiryEnforcedByChain: row.expiry_enforced_by_chain,
    transaction: new Uint8Array(row.transaction),
    facts: row.facts,
    createdAtMilliseconds: row.created_at.getTime(),
    expiresAtMilliseconds: row.expires_at.getTime(),
    tradeId: row.trade_id,
  }
}

const INSERT = `insert into builds (payment_id, account_id, network, sender, recipient, asset, amount, commitment, nonce,
       last_valid_block_height, expiry_enforced_by_chain, transaction, facts, created_at, expires_at, looked_at, look_at, proof_key, trade_id)
     select payment_id, account_id, network, sender, recipient, asset, amount, decode(commitment, 'hex'), nonce,
       height, enforced, decode(transaction, 'hex'), facts, to_timestamp(created / 1000.0), to_timestamp(expires / 1000.0),
       to_timestamp(created / 1000.0), to_timestamp(expires / 1000.0), proof_key, trade_id
     from json_to_recordset($1::json) as b (payment_id text, account_id text, network text, sender text, recipient text,
       asset text, amount numeric, commitment text, nonce numeric, height bigint, enforced boolean, transaction text,
       facts json, created numeric, expires numeric, proof_key text, trade_id text)`

export async function insertBuilds(tx: Tx, builds: readonly Build[]): Promise<void> {
  if (builds.length === 0) return
  await tx.query('builds_insert', INSERT, [JSON.stringify(builds.map(rowOf))])
}

/** Stores a settlement's build in place of an earlier one of the same payment, which is not looked for any more. */
export async function replaceBuild(tx: Tx, build: Build): Promise<void> {
  await tx.query(
    'build_replace',
    `${INSERT}
     on conflict (payment_id) do update set nonce = excluded.nonce, transaction = excluded.transaction, facts = excluded.facts,
       last_valid_block_height = excluded.last_valid_block_height, expires_at = excluded.expires_at,
       looked_at = excluded.looked_at, look_at = excluded.look_at, dead_height = null, dead_reason = null, closed_at = null`,
    [JSON.stringify([rowOf(build)])],
  )
}

function rowOf(build: Build) {
  return {
    payment_id: build.paymentId,
    account_id: build.accountId,
    network: build.network,
    sender: build.sender,
    recipient: build.recipient,
    asset: build.asset,
    amount: build.amount.toString(),
    commitment: build.commitment,
    nonce: build.nonce?.toString() ?? null,
    height: build.lastValidBlockHeight.toString(),
    enforced: build.expiryEnforcedByChain,
    transaction: Buffer.from(build.transaction).toString('hex'),
    facts: build.facts,
    created: build.createdAtMilliseconds,
    expires: build.expiresAtMilliseconds,
    proof_key: build.proofKey,
    trade_id: build.tradeId,
  }
}

/** The account's build; somebody else's looks like none. */
export async function findBuild(
  tx: Tx,
  accountId: AccountId,
  paymentId: PaymentId,
): Promise<Build | undefined> {
  const rows = await tx.query<BuildRow>(
    'build_find',
    `select ${COLUMNS} from builds where account_id = $1 and payment_id = $2`,
    [accountId, paymentId],
  )
  return rows[0] && buildOf(rows[0])
}

/** What a transaction shows of itself. */
export interface Marks {
  readonly commitments: readonly string[]
  readonly proofKey: ProofKey | null
  readonly place: { readonly sender: Address; readonly nonce: bigint } | null
}

/** The account's builds that a transaction may be: by what it carries, or by the place it takes. Newest first. */
export async function buildsMarked(
  tx: Tx,
  accountId: AccountId,
  network: NetworkId,
  { commitments, proofKey: settles, place }: Marks,
  count: number,
): Promise<readonly Build[]> {
  const rows = await tx.query<BuildRow>(
    'build_marked',
    `with marked as (
       select payment_id from builds
       where network = $2 and commitment = any (array(select decode(c, 'hex') from unnest($3::text[]) as c))
       union all select payment_id from builds
       where network = $2 and sender = $4 and nonce_text = $5 and account_id = $1
       union all select payment_id from builds
       where network = $2 and proof_key = $7 and account_id = $1 and closed_at is null
     )
     select ${COLUMNS} from builds
     where payment_id in (select payment_id from marked) and account_id = $1 order by created_at desc, payment_id desc limit $6`,
    [
      accountId,
      network,
      commitments,
      place?.sender ?? null,
      place?.nonce.toString() ?? null,
      count,
      settles,
    ],
  )
  return rows.map(buildOf)
}

/** The account's builds in the places behind one of a sender that need an allowance there. Newest first. */
export async function buildsNeeding(
  tx: Tx,
  accountId: AccountId,
  network: NetworkId,
  { sender, nonce }: NonNullable<Marks['place']>,
  most: { readonly places: number; readonly perPlace: number },
): Promise<readonly Build[]> {
  const rows = await tx.query<BuildRow>(
    'builds_needing',
    // By the index of places alone: how many builds an account has makes no difference.
    `with behind as (
       select of_place.payment_id from unnest($4::text[]) as place (nonce)
       cross join lateral (
         select payment_id from builds
         where network = $2 and sender = $3 and nonce_text = place.nonce and account_id = $1
         order by created_at desc limit $6
       ) of_place
     )
     select ${COLUMNS} from builds
     where payment_id = any (array(select payment_id from behind)) and account_id = $1
       and facts #>> '{approval,unsigned,nonce}' = $5
     order by created_at desc, payment_id desc`,
    [
      ...[accountId, network, sender],
      Array.from({ length: most.places }, (_, step) => `${nonce + BigInt(step) + 1n}`),
      ...[nonce.toString(), most.perPlace],
    ],
  )
  return rows.map(buildOf)
}

/** The account's payments that were built for a place of a sender, newest first. */
export async function paymentsBuiltFor(
  tx: Tx,
  accountId: AccountId,
  { network, address, nonce }: { network: NetworkId; address: string; nonce: bigint },
): Promise<readonly PaymentId[]> {
  const rows = await tx.query<{ payment_id: PaymentId }>(
    'build_for_place',
    `select payment_id from builds
     where network = $1 and sender = $2 and nonce_text = $3 and account_id = $4
     order by created_at desc, payment_id limit $5`,
    [network, address, nonce.toString(), accountId, limits.foundPaymentsMax],
  )
  return rows.map((row) => row.payment_id)
}
