import { expect, test } from 'vitest'
import { repositoryFiles } from './source.ts'
import { statements, tablesOf } from './sql.ts'
import { foreignTables, goneTables, ownerlessTables } from './table-owners.ts'

const files = repositoryFiles()
const foreign = (path: string, text: string) => foreignTables([{ path, text }])

test('rule: SQL stands in store files and names only the tables of its own room', () => {
  expect(foreignTables(files)).toEqual([])
})

test('rule: every table has exactly one room that owns it', () => {
  expect(ownerlessTables(files)).toEqual([])
})

test('a table of another room is found wherever a statement names it', () => {
  const path = 'server/src/ledger/store.ts'
  expect(foreign(path, '`select 1 from payments`')).toEqual([
    `${path}:1: payments belongs to payments`,
  ])
  for (const sql of [
    'select l.id from ledger_accounts l, payments p',
    'select 1 from ledger_accounts join payments on true',
    'with x as (select 1 from payments) select * from x',
    'update ledger_accounts set balance = 1 from payments',
    'insert into payments select 1',
    'delete from payments where id = ${id}',
    "update payments set status = '${status}'",
    'update ledger_accounts a set x = (select count(*) from payments where ${a} = 1)',
  ]) {
    expect(foreign(path, `const sql = \`\n${sql}\``), sql).toEqual([
      `${path}:1: payments belongs to payments`,
    ])
  }
})

test('SQL outside a store file is found', () => {
  expect(foreign('server/src/payments/send.ts', `'select 1'`)).toEqual([
    'server/src/payments/send.ts:1: SQL stands in store.ts, *-store.ts or *-sql.ts of a room',
  ])
  expect(foreign('server/src/payments/send-store.ts', `'select 1 from payments'`)).toEqual([])
})

test('the doctor reads every table and writes none', () => {
  const path = 'server/src/doctor/books-store.ts'
  expect(foreign(path, '`select 1 from payments join lanes on true`')).toEqual([])
  expect(foreign(path, '`update lanes set next_nonce = 1`')).toEqual([`${path}:1: may only read`])
})

test('a table without an owner is found', () => {
  const text = 'create table tokens (\n  mint text\n);'
  expect(ownerlessTables([{ path: 'server/migrations/000009_tokens.sql', text }])).toContain(
    'tokens has no owner',
  )
})

test('rule: no statement names a table that is gone', () => {
  expect(goneTables(files)).toEqual([])
})

test('a statement on a table that is gone is found, in a test and in a bench too', () => {
  const gone = { path: 'server/migrations/000010_no_tokens.sql', text: 'drop table tokens;' }
  const text = "store.query('count', 'select count(*) from tokens')"
  const found = ['server/src/a.ts', 'server/src/a.test.ts', 'bench/a.ts', 'e2e/a.ts'].flatMap(
    (path) => goneTables([gone, { path, text }]),
  )
  expect(found).toHaveLength(4)
  expect(found[0]).toBe('server/src/a.ts:1: tokens is gone')
})

test('a table that is gone needs no owner', () => {
  const made = { path: 'server/migrations/000009_tokens.sql', text: 'create table tokens (a int);' }
  const gone = { path: 'server/migrations/000010_no_tokens.sql', text: 'drop table tokens;' }
  expect(ownerlessTables([made, gone])).not.toContain('tokens has no owner')
})

test('prose is not a statement, and a column is not a table', () => {
  expect(
    statements(`'update the wallets'; 'begin transaction'; 'set local time'; 'a from b'`),
  ).toEqual([])
  expect(statements('`set local app.account_id = ${id}`; `begin; select 1`')).toHaveLength(2)
  expect([
    ...tablesOf('select payments, count(*) as attempts from lanes order by attempts'),
  ]).toEqual(['lanes'])
})
