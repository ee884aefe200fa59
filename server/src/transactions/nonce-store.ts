import type { NetworkId } from '@florin/wire/network.ts'
import type { Address } from '../chains/chain.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'

/** Whose nonces: an account's, for one wallet. Nobody can push the nonce of another account's builds. */
export interface NonceScope {
  readonly accountId: AccountId
  readonly network: NetworkId
  readonly sender: Address
}

/** Waits until no other transaction takes nonces of this scope; held to the end of the transaction. */
export async function lockNonces(
  tx: Tx,
  { accountId, network, sender }: NonceScope,
): Promise<void> {
  await tx.query('nonces_lock', `select pg_advisory_xact_lock(hashtextextended($1, 0))`, [
    ['build nonces', accountId, network, sender].join(' '),
  ])
}

/** The nonces that live builds have; what has expired is forgotten first. */
export async function noncesTaken(
  tx: Tx,
  { accountId, network, sender }: NonceScope,
  nowMilliseconds: number,
): Promise<readonly bigint[]> {
  const rows = await tx.query<{ nonce: string; is_live: boolean }>(
    'nonces_taken',
    `with gone as (
       delete from build_nonces
       where account_id = $1 and network = $2 and sender = $3 and expires_at <= to_timestamp($4 / 1000.0)
     )
     select nonce from build_nonces
     where account_id = $1 and network = $2 and sender = $3 and expires_at > to_timestamp($4 / 1000.0)`,
    [accountId, network, sender, nowMilliseconds],
  )
  return rows.map((row) => BigInt(row.nonce))
}

/** Takes a nonce for a build until it expires. The primary key refuses one that another live build has. */
export async function takeNonce(
  tx: Tx,
  { accountId, network, sender }: NonceScope,
  taken: {
    readonly nonce: bigint
    readonly paymentId: PaymentId
    readonly expiresAtMilliseconds: number
  },
): Promise<void> {
  await tx.query(
    'nonces_take',
    `insert into build_nonces (account_id, network, sender, nonce, payment_id, expires_at)
     values ($1, $2, $3, $4, $5, to_timestamp($6 / 1000.0))`,
    [
      accountId,
      network,
      sender,
      taken.nonce.toString(),
      taken.paymentId,
      taken.expiresAtMilliseconds,
    ],
  )
}

/** Gives the nonce of a build back. */
export async function giveNonceBack(
  tx: Tx,
  { accountId, network, sender }: NonceScope,
  paymentId: PaymentId,
): Promise<void> {
  await tx.query(
    'nonces_give_back',
    `delete from build_nonces where account_id = $1 and network = $2 and sender = $3 and payment_id = $4`,
    [accountId, network, sender, paymentId],
  )
}

const FORGOTTEN_MAX = 1_000

/** Removes nonces of builds whose time is over and that nobody has built for since, a bounded number at a time. */
export async function forgetNonces(tx: Tx, nowMilliseconds: number): Promise<void> {
  await tx.query(
    'nonces_forget',
    `delete from build_nonces where ctid = any (array(
       select ctid from build_nonces where expires_at < to_timestamp($1 / 1000.0) limit $2))`,
    [nowMilliseconds, FORGOTTEN_MAX],
  )
}
