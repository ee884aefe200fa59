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

/**
 * Takes the lowest nonce from `first` on that no live build of the scope has, until the build expires. Held against others by the lock
 * and by the primary key.
 */
export async function takeNonce(
  tx: Tx,
  { accountId, network, sender }: NonceScope,
  wanted: {
    readonly first: bigint
    readonly paymentId: PaymentId
    readonly nowMilliseconds: number
    readonly expiresAtMilliseconds: number
  },
): Promise<bigint> {
  const rows = await tx.query<{ nonce: string }>(
    'nonces_take',
    `with live as (
       select nonce from build_nonces where account_id = $1 and network = $2 and sender = $3
         and nonce >= $4::numeric and expires_at > to_timestamp($6 / 1000.0)
     ), free as (
       select $4::numeric as nonce where not exists (select from live where nonce = $4::numeric)
       union all
       select min(nonce) + 1 from live where not exists (select from live next where next.nonce = live.nonce + 1)
         and exists (select from live where nonce = $4::numeric)
     )
     insert into build_nonces as taken (account_id, network, sender, nonce, payment_id, expires_at)
     select $1, $2, $3, nonce, $5, to_timestamp($7 / 1000.0) from free where nonce is not null
     on conflict (account_id, network, sender, nonce) do update
       set payment_id = excluded.payment_id, expires_at = excluded.expires_at
       where taken.expires_at <= to_timestamp($6 / 1000.0)
     returning nonce`,
    [
      accountId,
      network,
      sender,
      wanted.first.toString(),
      wanted.paymentId,
      wanted.nowMilliseconds,
      wanted.expiresAtMilliseconds,
    ],
  )
  const [row] = rows
  if (row === undefined) throw new Error('a nonce was taken under the lock')
  return BigInt(row.nonce)
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
