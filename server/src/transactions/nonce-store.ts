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
 * Whether a build still has its nonce `n`, as SQL: until it expires, and for as long as a block shows it that is not final. A node whose
 * chain has lost that block gives the nonce to the next one, and only one of the two could get in.
 */
const isHeld = (n: string, now: string): string =>
  `(${n}.expires_at > to_timestamp(${now} / 1000.0) or exists (
     select from builds b where b.payment_id = ${n}.payment_id and b.seen_height is not null and b.closed_at is null))`

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
         select nonce, row_number() over (order by nonce) - 1 as place from build_nonces held
         where account_id = w.account_id and network = w.network and sender = w.sender
           and nonce >= w.first and ${isHeld('held', '$7')}
       ) as live
     ) as free
     on conflict (account_id, network, sender, nonce) do update
       set payment_id = excluded.payment_id, expires_at = excluded.expires_at
       where not ${isHeld('taken', '$7')}
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

/**
 * Holds the nonces of builds for their time once more: the blocks that showed them are gone, and what was signed may be in the next ones.
 * Those that have gone to another build by now stay with it.
 */
export async function holdNoncesAnew(
  tx: Tx,
  network: NetworkId,
  paymentIds: readonly PaymentId[],
  nowMilliseconds: number,
): Promise<void> {
  if (paymentIds.length === 0) return
  await tx.query(
    'nonces_hold_anew',
    `with undone as (
       select account_id, sender, nonce, payment_id, to_timestamp($3 / 1000.0) + (expires_at - created_at) as expires_at
       from builds where payment_id = any ($2) and nonce is not null
     ), held as (
       -- Also that of the allowance before it. By the scope first, which the key finds.
       update build_nonces n set expires_at = u.expires_at from undone u
       where n.account_id = u.account_id and n.network = $1 and n.sender = u.sender and n.payment_id = u.payment_id
       returning n.account_id, n.sender, n.nonce
     )
     insert into build_nonces as taken (account_id, network, sender, nonce, payment_id, expires_at)
     select distinct on (account_id, sender, nonce) account_id, $1, sender, nonce, payment_id, expires_at from undone
     where not exists (select from held h where (h.account_id, h.sender, h.nonce) = (undone.account_id, undone.sender, undone.nonce))
     order by account_id, sender, nonce, payment_id
     on conflict (account_id, network, sender, nonce) do update
       set payment_id = excluded.payment_id, expires_at = excluded.expires_at
       where taken.expires_at <= to_timestamp($3 / 1000.0)`,
    [network, paymentIds, nowMilliseconds],
  )
}

const FORGOTTEN_MAX = 1_000

/**
 * Removes nonces of builds whose time is over, that no block shows and that nobody has built for since, a bounded number at a time. Says whether more may
 * wait.
 */
export async function forgetNonces(tx: Tx, nowMilliseconds: number): Promise<boolean> {
  const removed = await tx.query(
    'nonces_forget',
    `delete from build_nonces where ctid = any (array(
       select ctid from build_nonces n
       where n.expires_at < to_timestamp($1 / 1000.0) and not ${isHeld('n', '$1')} order by n.expires_at limit $2))
     returning 1`,
    [nowMilliseconds, FORGOTTEN_MAX],
  )
  return removed.length >= FORGOTTEN_MAX
}
