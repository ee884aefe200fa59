import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import type { Address } from '../chains/chain.ts'
import { openScene } from './test-scene.ts'
import type { Scene } from './test-scene.ts'

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

const walletOf = (index: number) => `0x${String(index).padStart(40, '0')}` as Address
const once = (key: string, content = 1) => ({ key, fingerprint: new Uint8Array(32).fill(content) })
/** One row per transaction that stored builds: when, which is the same for all of one. */
const transactions = () =>
  database.store.query('test_commits', 'select distinct xmin::text from builds')

test('builds that wait at the same moment share transactions, and each has its own nonce, key and bytes', async () => {
  const built = await Promise.all(
    Array.from({ length: 60 }, (_, index) => scene.build({ sender: walletOf(index % 7) })),
  )
  expect((await transactions()).length).toBeLessThan(60)
  const places = new Set(built.map(({ build }) => `${build.sender} ${build.nonce}`))
  expect(places.size).toBe(60)
  expect(new Set(built.map(({ build }) => build.paymentId)).size).toBe(60)
  for (const { build, replayed } of built) {
    expect(replayed).toBe(false)
    expect(new TextDecoder().decode(build.transaction)).toContain(`"nonce":"${build.nonce}"`)
  }
})

test('a key that comes several times at once makes one build, and another body under it takes nobody down', async () => {
  const [first, ...others] = await Promise.allSettled([
    ...Array.from({ length: 4 }, () => scene.build({ once: once('same') })),
    scene.build({ once: once('same', 2) }),
    scene.build({ once: once('own') }),
    scene.build(),
  ])
  const [, , , mismatch, own, plain] = others
  const same = [first, ...others.slice(0, 3)].map((each) =>
    each?.status === 'fulfilled' ? each.value.build.paymentId : 'refused',
  )
  expect(new Set(same).size).toBe(1)
  expect(mismatch).toMatchObject({ reason: { code: 'IDEMPOTENCY_MISMATCH' } })
  expect([own?.status, plain?.status]).toEqual(['fulfilled', 'fulfilled'])
  const stored = await database.store.query('test_builds', 'select from builds')
  expect(stored).toHaveLength(3)
})

test('builds of two accounts for one wallet never share a transaction, and neither pushes the nonce of the other', async () => {
  const [one, two] = scene.accounts
  const built = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      scene.build({ accountId: index % 2 === 0 ? one : two }),
    ),
  )
  const noncesOf = (accountId: string) =>
    built.filter(({ build }) => build.accountId === accountId).map(({ build }) => build.nonce)
  const expected = new Set(Array.from({ length: 10 }, (_, index) => 7n + BigInt(index)))
  expect(new Set(noncesOf(one))).toEqual(expected)
  expect(new Set(noncesOf(two))).toEqual(expected)
})
