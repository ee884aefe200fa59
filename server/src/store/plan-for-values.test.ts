import { afterAll, beforeAll, expect, test } from 'vitest'
import { pageOfAccounts } from '../access/operator-store.ts'
import { pageOfAudit } from '../audit/every-account-store.ts'
import { listingsPage, searchListings } from '../catalogue/store.ts'
import { pageOfWallets } from '../custody/operator-store.ts'
import { pageOfWebhooks } from '../webhooks/operator-store.ts'
import type { Tx } from './postgres.ts'
import { openTestDatabase } from './test-database.ts'
import type { TestDatabase } from './test-database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const page = { after: undefined, count: 10 }
const filter = {
  ...{ type: 'http', accept: { network: 'eip155:1', scheme: 'exact', payTo: 'a' } },
  ...{ limit: 10, offset: 0 },
}

test.each<[string, (tx: Tx) => Promise<unknown>, readonly string[]]>([
  ['accounts', (tx) => pageOfAccounts(tx, undefined, page), ['access_any_accounts']],
  [
    'wallets',
    (tx) => pageOfWallets(tx, { accountId: undefined, search: undefined }, page),
    ['custody_any_wallets'],
  ],
  ['webhooks', (tx) => pageOfWebhooks(tx, 'all', page), ['webhook_any']],
  [
    'audit',
    (tx) => pageOfAudit(tx, { accountId: undefined, action: undefined, object: undefined }, page),
    ['audit_every_account'],
  ],
  ['catalogue', (tx) => listingsPage(tx, filter), ['catalogue_count', 'catalogue_page']],
  ['search', (tx) => searchListings(tx, 'words', filter), ['catalogue_search']],
])(
  'the list of %s, whose conditions may be left out, is planned for its values',
  async (_, read, names) => {
    await database.store.inTransaction('service', async (tx) => {
      await read(tx)
      const planned = await tx.query<{ name: string; anew: string; once: string }>(
        'test_plans',
        `select name, custom_plans as anew, generic_plans as once from pg_prepared_statements
         where name = any($1) order by name`,
        [names],
      )
      expect(planned).toEqual(names.map((name) => ({ name, anew: '1', once: '0' })))
    })
  },
)
