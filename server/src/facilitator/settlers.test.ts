import { readFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import { openLog } from '../kernel/log.ts'
import { makeWallet, testNetwork } from '../payments/test-lane.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { write } from '../store/test-write.ts'
import { openSettlers } from './settlers.ts'
import type { Settlers } from './settlers.ts'

const GUIDE = new URL('../../../docs/operating/production.md', import.meta.url)
const EXAMPLE = '0x742d35Cc6634C0532925a3b844Bc454e4438f44e'

let database: TestDatabase
let settlers: Settlers
beforeEach(async () => {
  database = await openTestDatabase()
  const networks = [{ ...testNetwork(84_532), sandbox: false, sandboxInstance: null }]
  const { store } = database
  settlers = openSettlers({ store, clock: systemClock, log: openLog('silent'), networks })
})
afterEach(async () => {
  await settlers.stop()
  await database.close()
})

/** What the guide to production has an operator tell the database of wallets that settle. */
async function statementsFor(address: string): Promise<readonly string[]> {
  const section = (await readFile(GUIDE, 'utf8')).split('\n## 9. Wallets that settle\n')[1] ?? ''
  const blocks = section.split('\n## ', 1)[0]?.matchAll(/```sql\n(?<text>.*?)```/gs) ?? []
  return [...blocks].map(({ groups }) => (groups?.['text'] ?? '').replaceAll(EXAMPLE, address))
}

test('the statements of the guide to production make a wallet settle, retire it, and bring it back', async () => {
  const { store } = database
  const { address } = await makeWallet(store)
  const [add = '', retire = ''] = await statementsFor(address)
  const settling = async () => {
    await settlers.refresh()
    return [...settlers.addressesOf('evm')]
  }
  await write(store, 'test_add', add)
  expect(await settling()).toEqual([address])
  await write(store, 'test_retire', retire)
  expect(await settling()).toEqual([])
  await write(store, 'test_add', add)
  expect(await settling()).toEqual([address])
})
