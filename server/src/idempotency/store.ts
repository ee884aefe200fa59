import type { AccountId } from '../kernel/id.ts'
import { isOf, storedFingerprint } from './fingerprint.ts'
import type { Fingerprint } from './fingerprint.ts'
import type { Tx } from '../store/postgres.ts'

/** One request that wants to happen once: whose, which operation, under which key, with which content. */
export interface Claim {
  readonly accountId: AccountId
  readonly operation: string
  readonly key: string
  /** Of the parsed body. */
  readonly fingerprint: Fingerprint
  /** What this request will have made, if it is the first. */
  readonly resourceId: string
}

/** `new`: the caller's own transaction now owns the key. `replay`: the resource exists. `mismatch`: same key, other content. */
export type ClaimResult =
  | { readonly kind: 'new' }
  | { readonly kind: 'replay'; readonly resourceId: string }
  | { readonly kind: 'mismatch' }

interface KeyRow {
  readonly account_id: string
  readonly operation: string
  readonly key: string
  readonly fingerprint: Buffer
  readonly resource_id: string
}

/**
 * Claims keys inside the transaction that makes the resources, one result per claim in order. Waits for another
 * transaction that holds the same key, so afterwards the answer is certain; a rollback gives the key back.
 * Two claims of one call that share a key: the first owns it.
 */
export async function claimKeys(
  tx: Tx,
  claims: readonly Claim[],
  nowMilliseconds: number,
): Promise<readonly ClaimResult[]> {
  if (claims.length === 0) return []
  // Sorted, so that two batches that share keys wait in one order and never deadlock.
  const sorted = [...claims].sort((one, other) => compare(nameOf(one), nameOf(other)))
  const inserted = await tx.query<{ resource_id: string }>(
    'idempotency_claim',
    `insert into idempotency_keys (account_id, operation, key, fingerprint, resource_id, created_at)
     select account_id, operation, key, fingerprint, resource_id, to_timestamp($6 / 1000.0)
     from unnest($1::text[], $2::text[], $3::text[], $4::bytea[], $5::text[])
       as claim (account_id, operation, key, fingerprint, resource_id)
     on conflict (account_id, operation, key) do nothing
     returning resource_id`,
    [
      sorted.map((claim) => claim.accountId),
      sorted.map((claim) => claim.operation),
      sorted.map((claim) => claim.key),
      sorted.map((claim) => Buffer.from(storedFingerprint(claim.fingerprint))),
      sorted.map((claim) => claim.resourceId),
      nowMilliseconds,
    ],
  )
  const won = new Set(inserted.map((row) => row.resource_id))
  const lost = sorted.filter((claim) => !won.has(claim.resourceId))
  const held = lost.length === 0 ? new Map<string, KeyRow>() : await readKeys(tx, lost)
  return claims.map((claim) => {
    if (won.has(claim.resourceId)) return { kind: 'new' }
    const row = held.get(nameOf(claim))
    if (row === undefined) throw new Error('an idempotency key was neither free nor held')
    return judge(row, claim.fingerprint)
  })
}

/** Looks a key up without claiming it, for requests that may be repeats: undefined when it is free. */
export async function findKey(
  tx: Tx,
  claim: Omit<Claim, 'resourceId'>,
): Promise<Exclude<ClaimResult, { kind: 'new' }> | undefined> {
  const row = (await readKeys(tx, [claim])).get(nameOf(claim))
  return row === undefined ? undefined : judge(row, claim.fingerprint)
}

/** Gives claimed keys back inside the transaction that claimed them: what was refused after all consumes no key. */
export async function giveKeysBack(
  tx: Tx,
  claims: readonly Omit<Claim, 'fingerprint'>[],
): Promise<void> {
  if (claims.length === 0) return
  await tx.query(
    'idempotency_give_back',
    `delete from idempotency_keys k
     using unnest($1::text[], $2::text[], $3::text[], $4::text[]) as c (account_id, operation, key, resource_id)
     where k.account_id = c.account_id and k.operation = c.operation and k.key = c.key
       and k.resource_id = c.resource_id`,
    [
      claims.map((claim) => claim.accountId),
      claims.map((claim) => claim.operation),
      claims.map((claim) => claim.key),
      claims.map((claim) => claim.resourceId),
    ],
  )
}

/** Removes keys older than the promise to keep them, at most `count` at a time. Says how many. */
export async function forgetKeys(
  tx: Tx,
  olderThanMilliseconds: number,
  count: number,
): Promise<number> {
  const removed = await tx.query(
    'idempotency_forget',
    `delete from idempotency_keys where ctid = any (array(
       select ctid from idempotency_keys where created_at < to_timestamp($1 / 1000.0) order by created_at limit $2))
     returning 1`,
    [olderThanMilliseconds, count],
  )
  return removed.length
}

async function readKeys(
  tx: Tx,
  claims: readonly Omit<Claim, 'resourceId'>[],
): Promise<Map<string, KeyRow>> {
  const rows = await tx.query<KeyRow>(
    'idempotency_read',
    `select k.account_id, k.operation, k.key, k.fingerprint, k.resource_id
     from unnest($1::text[], $2::text[], $3::text[]) as claim (account_id, operation, key)
     join idempotency_keys k using (account_id, operation, key)`,
    [
      claims.map((claim) => claim.accountId),
      claims.map((claim) => claim.operation),
      claims.map((claim) => claim.key),
    ],
  )
  return new Map(
    rows.map((row) => [
      nameOf({ accountId: row.account_id, operation: row.operation, key: row.key }),
      row,
    ]),
  )
}

function judge(row: KeyRow, fingerprint: Fingerprint): Exclude<ClaimResult, { kind: 'new' }> {
  return isOf(fingerprint, row.fingerprint)
    ? { kind: 'replay', resourceId: row.resource_id }
    : { kind: 'mismatch' }
}

function nameOf(claim: { accountId: string; operation: string; key: string }): string {
  return `${claim.accountId}\n${claim.operation}\n${claim.key}`
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
