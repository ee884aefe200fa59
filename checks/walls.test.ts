import { expect, test } from 'vitest'
import { repositoryFiles } from './source.ts'
import { wallProblems } from './walls.ts'

test('rule: only known files read outside a transaction, where the statement alone keeps accounts apart', () => {
  expect(wallProblems(repositoryFiles())).toEqual([])
})

test('a read outside a transaction is found, however it is written', () => {
  const store = {
    path: 'server/src/payments/x-store.ts',
    text: 'export async function findX(\n  tx: Tx,\n  id: string,\n) {}\nexport function allX(store: Store) {}',
  }
  const at = (text: string) => wallProblems([store, { path: 'server/src/payments/x.ts', text }], {})
  const found = ['server/src/payments/x.ts reads outside a transaction, where no wall stands']
  expect(at(`await store.query<Row>('x', 'y')`)).toEqual(found)
  expect(at(`await findX(deps.store, id)`)).toEqual(found)
  expect(at(`await book.hasLive(deps.store, id)`)).toEqual(found)
  expect(at(`await findX(tx, id); await allX(store, id)`)).toEqual([])
  expect(wallProblems([store], { 'server/src/a.ts': 'why' })).toEqual([
    'server/src/a.ts reads nothing outside a transaction',
  ])
})
