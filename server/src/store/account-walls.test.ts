import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../kernel/id.ts'
import type { AccountId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import type { Scope } from './postgres.ts'
import { openTestDatabase } from './test-database.ts'
import type { TestDatabase } from './test-database.ts'

/** Tables without an account of their own, each with the reason. A new table stands here or has a wall. */
const WITHOUT_ACCOUNT: Readonly<Record<string, string>> = {
  attempts: 'bytes of a chain transaction, which may carry payments of several accounts',
  chain_transactions: 'may carry payments of several accounts',
  expiry_looks: 'what nodes said of attempts',
  followed_blocks: 'the chain itself',
  followers: 'the chain itself',
  gas_budgets: 'what accounts and payers together may cost; read by the claim that reserves',
  gap_fillings: 'of chain transactions that carry no payment',
  installation_secrets: 'of the installation',
  lanes: 'places of signing addresses, those of the installation among them',
  market_blocks: 'the chain itself',
  market_candles: 'what markets show to everybody',
  market_events: 'what markets show to everybody',
  market_followers: 'the chain itself',
  market_hub_states: 'what markets show to everybody',
  market_pools: 'what markets show to everybody',
  market_reserves: 'what markets show to everybody',
  market_tokens: 'what markets show to everybody',
  market_trades: 'what markets show to everybody',
  members: 'people may be in several accounts; an account sees those that are in it',
  migrations: 'of the installation',
  passkey_challenges: 'of people; no account sees them',
  passkeys: 'of people; no account sees them',
  passwords: 'of people; no account sees them',
  payment_tallies: 'counts over all accounts, for the metrics',
  payment_transactions: 'leads from a chain transaction to payments, which have a wall',
  plan_operations: 'of the installation',
  plans: 'of the installation',
  relays: 'of the installation',
  sessions: 'of people; no account sees them',
  settler_wallets: 'keys of the installation',
  sign_in_windows: 'of addresses and people; no account sees them',
  unread_deposits: 'of chain transactions that may be of several accounts',
  unread_builds: 'leads from a chain transaction to builds, which have a wall',
  sponsored_approvals: 'what payers of several accounts are given, once',
}

interface Table {
  readonly name: string
  /** The column that says whose a row is. */
  readonly account: string | null
  readonly walled: boolean
  readonly policies: readonly string[]
}

const TABLES = `
  select c.relname as name, c.relrowsecurity as walled,
    case when c.relname = 'accounts' then 'id' else (select attname::text from pg_attribute a
      where a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped) end as account,
    array(select format('%s %s %s %s', p.permissive, p.cmd, p.roles::text,
        regexp_replace(coalesce(p.qual, ''), '\\s+', ' ', 'g') || coalesce(p.with_check, ''))
      from pg_policies p where p.tablename = c.relname and p.schemaname = 'public') as policies
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'public' and c.relkind in ('r', 'p') order by 1`

const SETTING = "( SELECT current_setting('app.account_id'::text, true) AS current_setting)"
const wallOf = (column: string) =>
  `PERMISSIVE ALL {florin_service} ((${SETTING} = ${column}) OR (${SETTING} = 'service'::text))`

/** What is wrong with the walls of these tables. */
function problemsOf(tables: readonly Table[]): readonly string[] {
  return tables.flatMap(({ name, account, walled, policies }) => {
    if (account === null) return name in WITHOUT_ACCOUNT ? [] : [`${name} is nobody's: say why`]
    if (name in WITHOUT_ACCOUNT) return [`${name} has an account`]
    if (!walled) return [`${name} has no row-level security`]
    const wall = wallOf(account)
    return policies.length === 1 && policies[0] === wall
      ? []
      : [`${name} has other policies: ${policies.join(' | ')}`]
  })
}

let database: TestDatabase
let owner: pg.Client
beforeAll(async () => {
  database = await openTestDatabase()
  owner = new pg.Client({ connectionString: database.ownerUrl.reveal() })
  await owner.connect()
})
afterAll(async () => {
  await owner.end()
  await database.close()
})

describe('every table that holds rows of accounts', () => {
  const tables = async () => (await owner.query<Table>(TABLES)).rows

  test('shows the service everything, an account its own rows and everybody else nothing', async () => {
    expect(problemsOf(await tables())).toEqual([])
    const names = new Set((await tables()).map(({ name }) => name))
    expect(Object.keys(WITHOUT_ACCOUNT).filter((name) => !names.has(name))).toEqual([])
  })

  test('is found when it is new and has no wall, half a wall, or a second door', async () => {
    await owner.query('begin')
    await owner.query(`
      create table favourites (account_id text); create table colours (name text);
      create table notes (account_id text); alter table notes enable row level security;
      create policy everything on payments to florin_service using (true)`)
    const problems = problemsOf(await tables())
    await owner.query('rollback')
    expect(problems.map((problem) => problem.split(':')[0])).toEqual([
      "colours is nobody's",
      'favourites has no row-level security',
      'notes has other policies',
      'payments has other policies',
    ])
  })
})

/** Rows of an account in some tables, put there without any code of ours. */
async function putRows(accountId: AccountId): Promise<void> {
  await database.store.inTransaction('service', async (tx) => {
    await tx.query('put_1', `insert into accounts (id, name) values ($1, 'a')`, [accountId])
    await tx.query(
      'put_2',
      `insert into api_keys (id, account_id, name, digest, last_four, mode, plan, scopes)
       values ($1, $2, 'k', $3, 'abcd', 'test', 'standard', '{read}')`,
      [newId(systemRandom, 'key'), accountId, Buffer.from(systemRandom.bytes(32))],
    )
    await tx.query(
      'put_3',
      `insert into payments (id, account_id, type, network, asset, amount, decimals, sender, recipient, sandbox, created_at)
       values ($1, $2, 'received', 'eip155:84532', 'native', 1, 18, 'a', 'b', true, now())`,
      [newId(systemRandom, 'pay'), accountId],
    )
    await tx.query(
      'put_4',
      `insert into outbox (account_id, count, facts, created_at) values ($1, 1, '{}', now())`,
      [accountId],
    )
  })
}

const FORGETFUL = `select (select count(*) from accounts) + (select count(*) from api_keys)
  + (select count(*) from payments) + (select count(*) from outbox) + (select count(*) from payment_counts) as count`

describe('a statement that forgot the account', () => {
  const [alice, bob] = [newId(systemRandom, 'acct'), newId(systemRandom, 'acct')]
  const seenBy = async (scope: Scope) => {
    const rows = await database.store.inTransaction(scope, (tx) =>
      tx.query<{ count: string }>('forgetful', FORGETFUL),
    )
    return Number(rows[0]?.count)
  }
  beforeAll(async () => {
    await putRows(alice)
    await putRows(bob)
  })

  test('reads nothing of another account, and nothing at all on a connection that says no account', async () => {
    expect([await seenBy(alice), await seenBy(bob), await seenBy('service')]).toEqual([5, 5, 10])
    expect(await seenBy(newId(systemRandom, 'acct'))).toBe(0)
    await owner.query('set role florin_service')
    const bare = await owner.query<{ count: string }>(FORGETFUL)
    await owner.query('reset role')
    expect(bare.rows[0]?.count).toBe('0')
  })

  test('changes and writes nothing of another account', async () => {
    const changed = await database.store.inTransaction(bob, (tx) =>
      tx.query<{ account_id: string }>(
        'forgetful_update',
        `update payments set resource = 'stolen' returning account_id`,
      ),
    )
    expect(changed).toEqual([{ account_id: bob }])
    const forged = database.store.inTransaction(bob, (tx) =>
      tx.query(
        'forged',
        `insert into outbox (account_id, count, facts, created_at) values ($1, 1, '{}', now())`,
        [alice],
      ),
    )
    await expect(forged).rejects.toThrow('row-level security')
  })
})
