import { afterEach, beforeEach, expect, test } from 'vitest'
import { limits } from '../kernel/limits.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { abandonBuild } from './abandon.ts'
import type { BuildResult } from './build-transaction.ts'
import { submitTransaction } from './submit.ts'
import { bytesOf, openScene } from './test-scene.ts'
import type { Bytes, Scene } from './test-scene.ts'

const DAY = 86_400_000

let database: TestDatabase
let scene: Scene
beforeEach(async () => {
  database = await openTestDatabase()
  scene = await openScene(database.store)
})
afterEach(async () => {
  await scene.expectSound()
  await database.close()
})

async function submitted(): Promise<BuildResult> {
  const built = await scene.build()
  const bytes = JSON.parse(new TextDecoder().decode(built.build.transaction)) as Bytes
  const text = Buffer.from(bytesOf({ ...bytes, hash: 'h1' })).toString('base64')
  const accountId = scene.accounts[0]
  await submitTransaction(scene.deps, { accountId, chain: scene.chain, text, once: null })
  return built
}

/** How often the nodes were handed something so far. */
async function sentAfter(milliseconds: number): Promise<number> {
  scene.later(milliseconds)
  await scene.resend()
  return scene.sent.length
}

test('submitted bytes are sent again, less and less often, until a block shows them, and again when a reorg takes it back', async () => {
  const built = await submitted()
  expect(await sentAfter(1_000)).toBe(1)
  expect(await sentAfter(1_500)).toBe(2)
  expect(await sentAfter(500)).toBe(2)
  expect(await sentAfter(1_000)).toBe(3)
  expect(await sentAfter(1_000)).toBe(3)
  expect(await sentAfter(5_000)).toBe(4)

  await scene.mine('a', 101, 1, scene.paid(built))
  expect(await sentAfter(DAY)).toBe(4)
  await scene.mine('b', 101, 2)
  expect(await sentAfter(DAY)).toBe(5)
  await scene.mine('b', 103, 1, scene.paid(built))
  await scene.finalize(103)
  expect(await scene.record(built)).toMatchObject({ status: 'settled' })
  expect(await sentAfter(DAY)).toBe(5)
  const due = 'select from submissions where due_at is not null'
  expect(await database.store.query('test_due', due)).toEqual([])
})

test('bytes that may still be in time are never kept back for long, so that a node that forgot them does not cost a payment', async () => {
  const built = await submitted()
  const seconds = Math.floor(
    (built.build.expiresAtMilliseconds - scene.deps.clock.nowMilliseconds()) / 1000,
  )
  const sends: number[] = []
  for (let second = 1; second < seconds; second += 1) {
    const before = scene.sent.length
    if ((await sentAfter(1_000)) > before) sends.push(second)
  }
  const gaps = sends.map((at, index) => at - (sends[index - 1] ?? 0))
  expect(Math.max(...gaps)).toBe(limits.resendInTimeSecondsMax)
  expect(seconds - (sends.at(-1) ?? 0)).toBeLessThanOrEqual(limits.resendInTimeSecondsMax)
})

test('bytes that were sent for long are sent at once when the block that had them in the end is gone', async () => {
  const built = await submitted()
  for (let round = 0; round < 10; round += 1) await sentAfter(limits.resendSecondsMax * 1000)
  const before = scene.sent.length
  await scene.mine('a', 101, 1, scene.paid(built))
  expect(await sentAfter(1_000)).toBe(before)
  await scene.mine('b', 101, 2)
  expect(await sentAfter(0)).toBe(before + 1)
  expect(await sentAfter(2_000)).toBe(before + 2)
})

test('what was due at a time that a clock was set back from is sent in its turn, which is noted anew', async () => {
  scene.later(DAY)
  await submitted()
  expect(await sentAfter(-DAY)).toBe(2)
  expect(await sentAfter(0)).toBe(2)
  expect(await sentAfter(limits.resendSecondsMax * 1000)).toBe(3)
})

test('what can be included no more, and what was given up, is not sent again', async () => {
  const built = await submitted()
  const used = { commitments: [], transfers: [], isPlain: false }
  await scene.mine('a', 101, 1, scene.paid(built, used))
  expect(await sentAfter(DAY)).toBe(1)
  await scene.finalize(101)
  expect(await scene.record(built)).toMatchObject({ status: 'expired' })

  const other = await scene.build()
  await abandonBuild(scene.deps, scene.accounts[0], other.build.paymentId)
  expect(await sentAfter(DAY)).toBe(1)
})

test('a build that nobody has sent for long is asked about no more, and a block still ends it', async () => {
  const built = await scene.build()
  scene.later(31 * DAY)
  scene.script.finalized = (built.build.nonce ?? 0n) + 1n
  await scene.watch()
  await scene.mine('a', 101, 1)
  await scene.finalize(101)
  expect(await scene.record(built)).toMatchObject({ status: 'pending' })
  await scene.mine('a', 102, 1, scene.paid(built, { commitments: [] }))
  await scene.finalize(102)
  expect(await scene.record(built)).toMatchObject({ status: 'expired' })
})
