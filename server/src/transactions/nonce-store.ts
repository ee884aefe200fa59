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

/** Waits until no other transaction takes nonces of these scopes; held to the end of the transaction. In one order everywhere. */
export async function lockNonces(tx: Tx, scopes: readonly NonceScope[]): Promise<void> {
  const names = new Set(
    scopes.map(({ accountId, network, sender }) =>
      ['build nonces', accountId, network, sender].join(' '),
    ),
  )
  await tx.query(
    'nonces_lock',
    `select pg_advisory_xact_lock(hashtextextended(name, 0)) from unnest($1::text[]) as name`,
    [[...names].toSorted()],
  )
}

/** A nonce that a build wants: the lowest free one from `first` on. */
export interface WantedNonce {
  readonly first: bigint
  readonly paymentId: PaymentId
  readonly nowMilliseconds: number
  readonly expiresAtMilliseconds: number
}

/**
 * Takes for each the lowest nonce from `first` on that no live build of its scope has, until the build expires. Held against others by
 * the locks and by the primary key. Each scope at most once in a call; in the order of what was wanted.
 */
export async function takeNonces(
  tx: Tx,
  wanted: readonly (NonceScope & WantedNonce)[],
): Promise<readonly bigint[]> {
  const [one] = wanted
  if (one === undefined) return []
  const rows = await tx.query<{ payment_id: PaymentId; nonce: string }>(
    'nonces_take',
    `with wanted as (
       select * from unnest($1::text[], $2::text[], $3::text[], $4::numeric[], $5::text[], $6::float8[])
         as w (account_id, network, sender, first, payment_id, expires)
     )
     insert into build_nonces as taken (account_id, network, sender, nonce, payment_id, expires_at)
     select w.account_id, w.network, w.sender, free.nonce, w.payment_id, to_timestamp(w.expires / 1000.0)
     from wanted w cross join lateral (
       -- Of those in their order, the ones that follow each other from the first on keep their distance to it.
       select w.first + count(*) filter (where live.nonce = w.first + live.place) as nonce
       from (
         select nonce, row_number() over (order by nonce) - 1 as place from build_nonces
         where account_id = w.account_id and network = w.network and sender = w.sender
           and nonce >= w.first and expires_at > to_timestamp($7 / 1000.0)
       ) as live
     ) as free
     on conflict (account_id, network, sender, nonce) do update
       set payment_id = excluded.payment_id, expires_at = excluded.expires_at
       where taken.expires_at <= to_timestamp($7 / 1000.0)
     returning payment_id, nonce`,
    [
      wanted.map(({ accountId }) => accountId),
      wanted.map(({ network }) => network),
      wanted.map(({ sender }) => sender),
      wanted.map(({ first }) => first.toString()),
      wanted.map(({ paymentId }) => paymentId),
      wanted.map(({ expiresAtMilliseconds }) => expiresAtMilliseconds),
      one.nowMilliseconds,
    ],
  )
  const taken = new Map(rows.map((row) => [row.payment_id, BigInt(row.nonce)]))
  return wanted.map(({ paymentId }) => {
    const nonce = taken.get(paymentId)
    if (nonce === undefined) throw new Error('a nonce was taken under the lock')
    return nonce
  })
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

/**
 * Removes nonces of builds whose time is over and that nobody has built for since, a bounded number at a time. Says whether more may
 * wait.
 */
export async function forgetNonces(tx: Tx, nowMilliseconds: number): Promise<boolean> {
  const removed = await tx.query(
    'nonces_forget',
    `delete from build_nonces where ctid = any (array(
       select ctid from build_nonces where expires_at < to_timestamp($1 / 1000.0) order by expires_at limit $2))
     returning 1`,
    [nowMilliseconds, FORGOTTEN_MAX],
  )
  return removed.length >= FORGOTTEN_MAX
}
