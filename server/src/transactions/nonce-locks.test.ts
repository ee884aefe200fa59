import { afterAll, beforeAll, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import type { Address } from '../chains/chain.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { until } from '../kernel/until.ts'
import { selfCustodyOf } from './build-transaction.ts'
import { commitBuilds } from './commit-builds.ts'
import type { BuildOrder } from './commit-builds.ts'
import { lockNonces } from './nonce-store.ts'
import { openScene, RECIPIENT } from './test-scene.ts'
import type { Scene } from './test-scene.ts'

const LOW = `0x${'01'.repeat(20)}` as Address
const HIGH = `0x${'02'.repeat(20)}` as Address

let database: TestDatabase
let scene: Scene
beforeAll(async () => {
  database = await openTestDatabase()
  scene = await openScene(database.store)
})
afterAll(async () => {
  await scene.expectSound()
  await database.close()
})

/** A build of a wallet; with an allowance before it when it is a sale. */
async function orderOf(sender: Address, isSale: boolean): Promise<BuildOrder> {
  const asset = scene.chain.config.assets.find((each) => each.asset === 'native')
  if (asset === undefined) throw new Error('no native asset')
  const commitment = systemRandom.bytes(32)
  const order = { sender, recipient: RECIPIENT, asset, amount: baseUnits(5n), commitment }
  const prepare = async () => {
    const prepared = await selfCustodyOf(scene.chain).prepare(order)
    if (!prepared.ok) throw new Error('not prepared')
    return prepared.preparation
  }
  const request = {
    ...{ accountId: scene.accounts[0], chain: scene.chain, sender, recipient: RECIPIENT, asset },
    ...{ amount: order.amount, priorityFee: null, resource: null, metadataText: null, once: null },
  }
  const allowance = isSale ? await prepare() : null
  const paymentId = newId(systemRandom, 'pay')
  return { request, paymentId, commitment, preparation: await prepare(), allowance }
}

test('a batch of sales waits for nobody while it has a wallet that others wait for', async () => {
  const { store } = database
  const { network } = scene.chain.config
  const scope = (sender: Address) => ({ accountId: scene.accounts[0], network, sender })
  const orders = [await orderOf(HIGH, true), await orderOf(LOW, true)]
  let batch: Promise<unknown> = Promise.resolve()
  await store.inTransaction('service', async (tx) => {
    // Another batch of the account, of transfers of both wallets, in the order that all keep to.
    await lockNonces(tx, [scope(LOW)])
    batch = store.inTransaction(scene.accounts[0], (other) =>
      commitBuilds(other, scene.deps, scene.chain, orders),
    )
    batch.catch(() => undefined)
    const waiting = `select from pg_locks l join pg_database d on d.oid = l.database
      where l.locktype = 'advisory' and not l.granted and d.datname = current_database()`
    const isWaiting = async () => (await store.query('test_waiting', waiting)).length > 0
    await until('the batch waits', isWaiting, { seconds: 30 })
    await lockNonces(tx, [scope(HIGH)])
  })
  expect(await batch).toMatchObject([{ kind: 'stored' }, { kind: 'stored' }])
})
