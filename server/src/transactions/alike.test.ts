import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import type { TransactionHash } from '../chains/chain.ts'
import type { BuildResult } from './build-transaction.ts'
import { abandonBuild } from './abandon.ts'
import { submitTransaction } from './submit.ts'
import { bytesOf, openScene } from './test-scene.ts'
import type { Bytes, Scene } from './test-scene.ts'

const HASH = '0xh1' as TransactionHash

let database: TestDatabase
let scene: Scene
beforeEach(async () => {
  database = await openTestDatabase()
  scene = await openScene(database.store)
  scene.script.carriesCommitment = false
})
afterEach(async () => {
  await scene.expectSound()
  await database.close()
})

/** The same built again once the first has lost its place: nothing on chain tells the two apart. */
async function twice(): Promise<readonly [BuildResult, BuildResult]> {
  const first = await scene.build()
  scene.later(61_000)
  const second = await scene.build()
  expect(second.build.nonce).toBe(first.build.nonce)
  return [first, second]
}

async function submitted({ build }: BuildResult): Promise<string> {
  const built = JSON.parse(new TextDecoder().decode(build.transaction)) as Bytes
  const text = Buffer.from(bytesOf({ ...built, hash: HASH })).toString('base64')
  const request = { accountId: build.accountId, chain: scene.chain, text, once: null }
  const result = await submitTransaction(scene.deps, request)
  return result.build.paymentId
}

test('of two builds that look alike the one is paid as which its bytes were taken', async () => {
  const [first, second] = await twice()
  expect(await submitted(second)).toBe(second.build.paymentId)
  await scene.mine('a', 101, 1, scene.paid(second, { transactionHash: HASH }))
  await scene.finalize(101)
  expect(await scene.record(second)).toMatchObject({ status: 'settled', hash: HASH })
  expect(await scene.record(first)).toMatchObject({ status: 'expired' })
})

test('bytes that come again are those of the build that they were taken as first', async () => {
  const first = await scene.build()
  expect(await submitted(first)).toBe(first.build.paymentId)
  scene.later(61_000)
  const second = await scene.build()
  expect(await submitted(first)).toBe(first.build.paymentId)
  await scene.mine('a', 101, 1, scene.paid(first, { transactionHash: HASH }))
  expect(await submitted(second)).toBe(first.build.paymentId)
  await scene.finalize(101)
  expect(await scene.record(first)).toMatchObject({ status: 'settled' })
})

test('of two that look alike one that was given up is not the one that is paid', async () => {
  const first = await scene.build()
  await abandonBuild(scene.deps, scene.accounts[0], first.build.paymentId)
  const second = await scene.build()
  expect(second.build.nonce).toBe(first.build.nonce)
  await scene.mine('a', 101, 1, scene.paid(second))
  expect(await scene.record(second)).toMatchObject({ status: 'confirmed' })
  expect(await scene.record(first)).toMatchObject({ status: 'pending' })
})

test('of two that look alike and of which nothing else is known the first one is paid', async () => {
  const [first, second] = await twice()
  await scene.mine('a', 101, 1, scene.paid(second))
  expect(await scene.record(first)).toMatchObject({ status: 'confirmed' })
})
