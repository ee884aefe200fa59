import type { Plan, Scope } from '../kernel/caller.ts'
import { PLANS, SCOPES } from '../kernel/caller.ts'
import type { AccountId, KeyId } from '../kernel/id.ts'
import type { Store, Tx } from '../store/postgres.ts'
import type { KeyMode } from './key.ts'

/** What is known of a key besides its digest; all of it may be shown to the account. */
export interface KeyFacts {
  readonly keyId: KeyId
  readonly accountId: AccountId
  readonly name: string
  readonly mode: KeyMode
  readonly lastFour: string
  readonly plan: Plan
  readonly scopes: readonly Scope[]
  readonly createdAtMilliseconds: number
  readonly lastUsedAtMilliseconds: number | null
  readonly expiresAtMilliseconds: number | null
}

/** A key with its digest and what its plan allows. */
export interface FoundKey {
  readonly facts: KeyFacts
  readonly digest: Uint8Array
  /** The account's own number for enterprise keys, else the plan's; null: unlimited. */
  readonly requestsPerMinute: number | null
  /** By operation, where the plan differs from the endpoint table. */
  readonly exceptions: ReadonlyMap<string, boolean>
}

export interface Account {
  readonly accountId: AccountId
  readonly name: string
  readonly createdAtMilliseconds: number
}

interface KeyRow {
  readonly id: KeyId
  readonly account_id: AccountId
  readonly name: string
  readonly mode: KeyMode
  readonly last_four: string
  readonly plan: string
  readonly scopes: string[]
  readonly created_at: Date
  readonly last_used_at: Date | null
  readonly expires_at: Date | null
}

interface FoundKeyRow extends KeyRow {
  readonly digest: Uint8Array
  readonly requests_per_minute: number | null
  readonly more_operations: string[]
  readonly fewer_operations: string[]
}

interface AccountRow {
  readonly id: AccountId
  readonly name: string
  readonly created_at: Date
}

const KEY_COLUMNS =
  'id, account_id, name, mode, last_four, plan, scopes, created_at, last_used_at, expires_at'
/** Advisory lock of the one moment at which the first account is made; "acct" in ASCII. */
const FIRST_ACCOUNT_LOCK = 0x61636374

function toFacts(row: KeyRow): KeyFacts {
  const plan = PLANS.find((name) => name === row.plan)
  if (plan === undefined) throw new Error(`key ${row.id} has a plan that nobody knows`)
  return {
    keyId: row.id,
    accountId: row.account_id,
    name: row.name,
    mode: row.mode,
    lastFour: row.last_four,
    plan,
    scopes: SCOPES.filter((scope) => row.scopes.includes(scope)),
    createdAtMilliseconds: row.created_at.getTime(),
    lastUsedAtMilliseconds: row.last_used_at?.getTime() ?? null,
    expiresAtMilliseconds: row.expires_at?.getTime() ?? null,
  }
}

function toAccount(row: AccountRow): Account {
  return {
    accountId: row.id,
    name: row.name,
    createdAtMilliseconds: row.created_at.getTime(),
  }
}

export async function insertAccount(tx: Tx, account: Account): Promise<void> {
  await tx.query(
    'access_insert_account',
    'insert into accounts (id, name, created_at) values ($1, $2, to_timestamp($3 / 1000.0))',
    [account.accountId, account.name, account.createdAtMilliseconds],
  )
}

/** The account that was made first, if any. Until the transaction ends nobody else makes a first one. */
export async function lockFirstAccount(tx: Tx): Promise<Account | undefined> {
  await tx.query('access_lock_first', 'select pg_advisory_xact_lock($1)', [FIRST_ACCOUNT_LOCK])
  const rows = await tx.query<AccountRow>(
    'access_first_account',
    'select id, name, created_at from accounts order by created_at, id limit 1',
  )
  return rows[0] && toAccount(rows[0])
}

/** Whether there is such an account. */
export async function hasAccount(tx: Tx, accountId: AccountId): Promise<boolean> {
  const rows = await tx.query('access_has_account', 'select from accounts where id = $1', [
    accountId,
  ])
  return rows.length === 1
}

/**
 * Takes the account's row lock, so that two creations cannot both be the last that fits, and none passes by a change of the plan. Gives
 * the plan that holds from here on; undefined when there is no such account.
 */
export async function lockAccount(tx: Tx, accountId: AccountId): Promise<Plan | undefined> {
  const [row] = await tx.query<{ plan: string }>(
    'access_lock_account',
    'select plan from accounts where id = $1 for no key update',
    [accountId],
  )
  if (row === undefined) return undefined
  const plan = PLANS.find((name) => name === row.plan)
  if (plan === undefined) throw new Error(`account ${accountId} has a plan that nobody knows`)
  return plan
}

/** Keys of the account that are neither deleted nor expired. */
export async function countLiveKeys(
  tx: Tx,
  accountId: AccountId,
  nowMilliseconds: number,
): Promise<number> {
  const rows = await tx.query<{ keys: number }>(
    'access_count_live_keys',
    `select count(*)::integer as keys from api_keys
     where account_id = $1 and deleted_at is null
       and (expires_at is null or expires_at > to_timestamp($2 / 1000.0))`,
    [accountId, nowMilliseconds],
  )
  return rows[0]?.keys ?? 0
}

export async function insertKey(
  tx: Tx,
  facts: Omit<KeyFacts, 'lastUsedAtMilliseconds'>,
  digest: Uint8Array,
): Promise<void> {
  await tx.query(
    'access_insert_key',
    `insert into api_keys
       (id, account_id, name, digest, last_four, mode, plan, scopes, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, to_timestamp($9 / 1000.0), to_timestamp($10 / 1000.0))`,
    [
      facts.keyId,
      facts.accountId,
      facts.name,
      digest,
      facts.lastFour,
      facts.mode,
      facts.plan,
      facts.scopes,
      facts.createdAtMilliseconds,
      facts.expiresAtMilliseconds,
    ],
  )
}

const FIND_KEYS = `
     select k.id, k.account_id, k.name, k.mode, k.last_four, k.plan, k.scopes, k.created_at,
            k.last_used_at, k.expires_at, k.digest,
            case when k.plan = 'enterprise'
              then coalesce(a.enterprise_requests_per_minute, p.requests_per_minute)
              else p.requests_per_minute end as requests_per_minute,
            array(select o.operation from plan_operations o where o.plan = k.plan and o.included)
              as more_operations,
            array(select o.operation from plan_operations o where o.plan = k.plan and not o.included)
              as fewer_operations
     from api_keys k
     join accounts a on a.id = k.account_id
     join plans p on p.name = k.plan
     where k.deleted_at is null and a.suspended_at is null and k.digest =`

/** The key with this digest unless it was deleted. Asked before anybody knows whose it is, so it names no account. */
export async function findKeyByDigest(
  store: Store,
  digest: Uint8Array,
): Promise<FoundKey | undefined> {
  const sql = `${FIND_KEYS} $1`
  const [row] = await store.query<FoundKeyRow>('access_find_key', sql, [digest])
  return row && toFound(row)
}

/** The keys among these digests that were not deleted, with one query, in no order. */
export async function findKeysByDigest(
  store: Store,
  digests: readonly Uint8Array[],
): Promise<readonly FoundKey[]> {
  const sql = `${FIND_KEYS} any($1)`
  return (await store.query<FoundKeyRow>('access_find_keys', sql, [digests])).map(toFound)
}

function toFound(row: FoundKeyRow): FoundKey {
  return {
    facts: toFacts(row),
    digest: row.digest,
    requestsPerMinute: row.requests_per_minute,
    exceptions: new Map([
      ...row.more_operations.map((operation) => [operation, true] as const),
      ...row.fewer_operations.map((operation) => [operation, false] as const),
    ]),
  }
}

/** The account's keys that were not deleted, oldest first. */
export async function findKeys(tx: Tx, accountId: AccountId): Promise<readonly KeyFacts[]> {
  const rows = await tx.query<KeyRow>(
    'access_list_keys',
    `select ${KEY_COLUMNS} from api_keys
     where account_id = $1 and deleted_at is null order by created_at, id`,
    [accountId],
  )
  return rows.map(toFacts)
}

/** False: the account has no such key, or it was deleted before. */
export async function markKeyDeleted(
  tx: Tx,
  accountId: AccountId,
  keyId: KeyId,
  nowMilliseconds: number,
): Promise<boolean> {
  const rows = await tx.query(
    'access_delete_key',
    `update api_keys set deleted_at = to_timestamp($3 / 1000.0)
     where account_id = $1 and id = $2 and deleted_at is null returning id`,
    [accountId, keyId, nowMilliseconds],
  )
  return rows.length === 1
}

/** Notes that the key was used, unless a later use is noted already. */
export async function markKeyUsed(
  store: Store,
  keyId: KeyId,
  nowMilliseconds: number,
): Promise<void> {
  await store.write(
    'access_use_key',
    `update api_keys set last_used_at = to_timestamp($2 / 1000.0)
     where id = $1 and (last_used_at is null or last_used_at < to_timestamp($2 / 1000.0))`,
    [keyId, nowMilliseconds],
  )
}
