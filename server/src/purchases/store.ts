import type { NetworkId } from '@florin/wire/network.ts'
import type { Address } from '../chains/chain.ts'
import { proofKey } from '../chains/exact.ts'
import type { ProofKey } from '../chains/exact.ts'
import type { AccountId, PaymentId, WalletId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'
import type { Purchase, SellerAnswer } from './purchase.ts'

interface Row {
  readonly payment_id: PaymentId
  readonly account_id: AccountId
  readonly wallet_id: WalletId
  readonly network: NetworkId
  readonly request_digest: Buffer
  readonly url: string
  readonly proof_key: string
  readonly stored: Readonly<Record<string, string>>
  readonly valid_before: string | null
  readonly last_valid_block_height: string | null
  readonly fee_payer: Address | null
  readonly since_height: string
  readonly header_name: Purchase['headerName']
  readonly header: string
  readonly asking_until: Date | null
  readonly shown: number
  readonly answer_status: number | null
  readonly answer_headers: Readonly<Record<string, string>> | null
  readonly answer_body: Buffer | null
  readonly delivered: boolean
  readonly looks: number
}

const COLUMNS = `payment_id, account_id, wallet_id, network, request_digest, url, proof_key, stored, valid_before,
  last_valid_block_height, fee_payer, since_height, header_name, header, asking_until, shown, answer_status, answer_headers,
  answer_body, delivered, looks`

// The rows were written by this file from branded values; reading them back restores the brands.
function purchaseOf(row: Row): Purchase {
  return {
    paymentId: row.payment_id,
    accountId: row.account_id,
    walletId: row.wallet_id,
    network: row.network,
    requestDigest: new Uint8Array(row.request_digest),
    url: row.url,
    proofKey: proofKey(row.proof_key),
    stored: row.stored,
    validBeforeSeconds: row.valid_before === null ? null : BigInt(row.valid_before),
    lastValidBlockHeight:
      row.last_valid_block_height === null ? null : BigInt(row.last_valid_block_height),
    feePayer: row.fee_payer,
    sinceHeight: BigInt(row.since_height),
    headerName: row.header_name,
    header: row.header,
    askingUntilMilliseconds: row.asking_until?.getTime() ?? null,
    shown: row.shown,
    answer:
      row.answer_status === null
        ? null
        : {
            status: row.answer_status,
            headers: row.answer_headers ?? {},
            body: new Uint8Array(row.answer_body ?? []),
          },
    isDelivered: row.delivered,
    looks: row.looks,
  }
}

/** Rolls a purchase back: another one is the same to the letter. Solana: the same transfer, with a memo that its seller names, in one block. */
export class ProofTaken extends Error {
  override readonly name = 'ProofTaken'
}

/**
 * How many purchases of an account are open of which the chain shows nothing yet, as far as they are counted, and how many of them are of the seller
 * at an address. Those are the ones that somebody has to ask the chain about.
 */
export async function countSilent(
  tx: Tx,
  { accountId, network, url }: Pick<Purchase, 'accountId' | 'network' | 'url'>,
  most: number,
): Promise<{ readonly all: number; readonly ofSeller: number }> {
  const rows = await tx.query<{ silent: string; of_seller: string }>(
    'purchase_count_silent',
    `select count(*) as silent, count(*) filter (where lower(split_part(url, '/', 3)) = lower(split_part($4, '/', 3))) as of_seller
     from (select url from purchases where network = $1 and account_id = $2
       and closed_at is null and used_height is null and dead_height is null and look_at is distinct from 'infinity' limit $3) as open`,
    [network, accountId, most, url],
  )
  return { all: Number(rows[0]?.silent), ofSeller: Number(rows[0]?.of_seller) }
}

/**
 * Whether an account has as many silent purchases as it may, of this seller or in all, before it signs another in this transaction. The lane, locked
 * before, orders those of one wallet alone, and an account has many: near the bound its purchases on the network come one after the other.
 */
export async function isCrowded(
  tx: Tx,
  place: Pick<Purchase, 'accountId' | 'network' | 'url'>,
): Promise<boolean> {
  const { purchasesSilentMax: most, purchasesSilentOfSellerMax: mostOfSeller } = limits
  const silent = await countSilent(tx, place, most)
  // More than the other half does not sign at one moment; who is far from the bound waits for nobody.
  if (silent.all < most / 2 && silent.ofSeller < mostOfSeller / 2) return false
  await tx.query(
    'purchase_lock_silent',
    `select pg_advisory_xact_lock(hashtextextended('silent purchases ' || $1 || ' ' || $2, 0))`,
    [place.accountId, place.network],
  )
  const now = await countSilent(tx, place, most)
  return now.all >= most || now.ofSeller >= mostOfSeller
}

/** Stores a new purchase; nobody has shown it to anybody yet. Throws ProofTaken. */
export async function insertPurchase(
  tx: Tx,
  purchase: Purchase,
  nowMilliseconds: number,
): Promise<void> {
  const rows = await tx.query(
    'purchase_insert',
    `insert into purchases (payment_id, account_id, wallet_id, network, request_digest, url, proof_key, stored, valid_before,
       last_valid_block_height, fee_payer, since_height, header_name, header, shown, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 0, to_timestamp($15 / 1000.0))
     on conflict (network, proof_key) do nothing returning payment_id`,
    [
      purchase.paymentId,
      purchase.accountId,
      purchase.walletId,
      purchase.network,
      Buffer.from(purchase.requestDigest),
      purchase.url,
      purchase.proofKey,
      JSON.stringify(purchase.stored),
      purchase.validBeforeSeconds?.toString() ?? null,
      purchase.lastValidBlockHeight?.toString() ?? null,
      purchase.feePayer,
      purchase.sinceHeight.toString(),
      purchase.headerName,
      purchase.header,
      nowMilliseconds,
    ],
  )
  if (rows.length === 0) throw new ProofTaken('another purchase is the same to the letter')
}

/** The account's purchase; somebody else's looks like none. */
export async function findPurchase(
  tx: Tx,
  accountId: AccountId,
  paymentId: PaymentId,
): Promise<Purchase | undefined> {
  const rows = await tx.query<Row>(
    'purchase_find',
    `select ${COLUMNS} from purchases where account_id = $1 and payment_id = $2`,
    [accountId, paymentId],
  )
  return rows[0] && purchaseOf(rows[0])
}

/** The purchase for the same request of the same wallet that can still be used: nothing else is signed for it. */
export async function joinablePurchase(
  tx: Tx,
  accountId: AccountId,
  walletId: WalletId,
  network: NetworkId,
  requestDigest: Uint8Array,
): Promise<Purchase | undefined> {
  const rows = await tx.query<Row>(
    'purchase_joinable',
    `select ${COLUMNS} from purchases
     where wallet_id = $2 and network = $3 and request_digest = $4 and joinable and account_id = $1`,
    [accountId, walletId, network, Buffer.from(requestDigest)],
  )
  return rows[0] && purchaseOf(rows[0])
}

/**
 * Takes the next exchange with the seller: only one caller shows the authorization at a time. One that was used and not delivered for may
 * be shown again, since sellers hand out what an answer of theirs lost. Undefined when somebody else is at it, or nothing is left to ask for.
 * Who is at it for longer than anybody may began before a clock was set back, and is at it no more.
 */
export async function takeExchange(
  tx: Tx,
  { accountId, paymentId }: Pick<Purchase, 'accountId' | 'paymentId'>,
  nowMilliseconds: number,
  untilMilliseconds: number,
): Promise<Purchase | undefined> {
  const rows = await tx.query<Row>(
    'purchase_take_exchange',
    `update purchases set asking_until = to_timestamp($4 / 1000.0), shown = shown + 1
     where account_id = $1 and payment_id = $2 and not delivered and shown < $5
       and (closed_at is null or used_hash is not null) and look_at is distinct from 'infinity' and (asking_until is null
         or asking_until <= to_timestamp($3 / 1000.0) or asking_until > to_timestamp($6 / 1000.0))
     returning ${COLUMNS}`,
    [
      accountId,
      paymentId,
      nowMilliseconds,
      untilMilliseconds,
      limits.fetchShowsMax,
      untilMilliseconds + limits.clockAheadSeconds * 1000,
    ],
  )
  return rows[0] && purchaseOf(rows[0])
}

/**
 * What became of an exchange. Without an answer nothing is known of it; an earlier answer stands, and that it is not of this exchange is seen by
 * `askingUntilMilliseconds`, which is long over then.
 */
export async function endExchange(
  tx: Tx,
  { accountId, paymentId, shown }: Pick<Purchase, 'accountId' | 'paymentId' | 'shown'>,
  answer: SellerAnswer | null,
  isDelivered: boolean,
): Promise<void> {
  await tx.query(
    'purchase_end_exchange',
    `update purchases set asking_until = case when shown <> $3 then asking_until when $4::integer is null then to_timestamp(0) end,
       answer_status = coalesce($4, answer_status), answer_headers = coalesce($5, answer_headers),
       answer_body = coalesce($6, answer_body), delivered = delivered or $7, joinable = joinable and not $7
     where account_id = $1 and payment_id = $2 and (shown = $3 or $7) and not delivered`,
    [
      accountId,
      paymentId,
      shown,
      answer?.status ?? null,
      answer === null ? null : JSON.stringify(answer.headers),
      answer === null ? null : Buffer.from(answer.body),
      isDelivered,
    ],
  )
}

/** Whether anything is looked for in the blocks of a network: only what has a fee payer is found that way. */
export async function hasOpenPurchase(tx: Tx, network: NetworkId): Promise<boolean> {
  const rows = await tx.query<{ found: boolean }>(
    'purchase_open_any',
    `select exists (select from purchases
       where network = $1 and closed_at is null and fee_payer is not null) as found`,
    [network],
  )
  return rows[0]?.found === true
}

/** The wallets whose purchases these pay the fee of: each signs beside. */
export async function buyersThrough(
  tx: Tx,
  network: NetworkId,
  feePayers: readonly Address[],
): Promise<ReadonlySet<Address>> {
  if (feePayers.length === 0) return new Set()
  const rows = await tx.query<{ buyer: Address }>(
    'purchase_buyers',
    `select distinct stored ->> 'from' as buyer from purchases
     where network = $1 and closed_at is null and fee_payer = any($2)`,
    [network, feePayers],
  )
  return new Set(rows.map((row) => row.buyer))
}

/**
 * The open purchases with these proofs that a known fee payer submits (Solana): those whose bytes are their whole content. A call that names
 * an authorization on EVM may come from anybody and fail, and nobody reads its receipt for this: `watchPurchases` asks the chain.
 */
export async function purchasesProven(
  tx: Tx,
  network: NetworkId,
  proofKeys: readonly ProofKey[],
): Promise<readonly Purchase[]> {
  if (proofKeys.length === 0) return []
  const rows = await tx.query<Row>(
    'purchase_proven',
    `select ${COLUMNS} from purchases
     where network = $1 and proof_key = any($2) and closed_at is null and fee_payer is not null order by payment_id`,
    [network, proofKeys],
  )
  return rows.map(purchaseOf)
}
