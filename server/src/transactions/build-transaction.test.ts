import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { abandonBuild } from './abandon.ts'
import { forgetNonces } from './nonce-store.ts'
import { openScene, TOKEN } from './test-scene.ts'
import type { Scene } from './test-scene.ts'
import { write } from '../store/test-write.ts'

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

async function refusalOf(work: Promise<unknown>): Promise<Pick<Refusal, 'code' | 'details'>> {
  try {
    await work
  } catch (error) {
    if (error instanceof Refusal) return { code: error.code, details: error.details }
    throw error
  }
  throw new Error('nothing was refused')
}

const stored = async () => {
  const [row] = await database.store.query<{ counts: string }>(
    'test_stored',
    `select (select count(*) from payments) || ' ' || (select count(*) from builds) || ' '
       || (select count(*) from build_nonces) || ' ' || (select count(*) from idempotency_keys) as counts`,
  )
  return row?.counts
}
const token = () => {
  const asset = scene.chain.config.assets.find((each) => each.asset === TOKEN)
  if (asset === undefined) throw new Error('no token')
  return asset
}

describe('nonces of builds', () => {
  beforeEach(() => {
    scene.script.nextNonce = 7n
  })

  test('are different for 20 at once, and free again when they have expired', async () => {
    const builds = await Promise.all(Array.from({ length: 20 }, () => scene.build()))
    const nonces = builds.map(({ build }) => Number(build.nonce)).toSorted((a, b) => a - b)
    expect(nonces).toEqual(Array.from({ length: 20 }, (_, index) => 7 + index))
    scene.later(60_000)
    expect((await scene.build()).build.nonce).toBe(7n)
    scene.later(60_000)
  })

  test('of an abandoned build go to the next one, and the record says that it was given up', async () => {
    const first = await scene.build()
    const { accountId, paymentId } = first.build
    const state = await abandonBuild(scene.deps, accountId, paymentId)
    expect(state).toMatchObject({ abandoned: true, status: 'pending' })
    expect((await scene.build()).build.nonce).toBe(first.build.nonce)
    expect(await abandonBuild(scene.deps, accountId, paymentId)).toEqual(state)
    scene.later(60_000)
  })

  test('of a build in the middle that was given up are taken before any behind it', async () => {
    const builds = [await scene.build(), await scene.build(), await scene.build()]
    const [, middle] = builds
    if (middle === undefined) throw new Error('no build')
    await abandonBuild(scene.deps, middle.build.accountId, middle.build.paymentId)
    const next = [await scene.build(), await scene.build()]
    expect(next.map(({ build }) => build.nonce)).toEqual([8n, 10n])
    scene.script.nextNonce = 9n
    expect((await scene.build()).build.nonce).toBe(11n)
    scene.script.nextNonce = 7n
    const [lowest] = builds
    await abandonBuild(scene.deps, middle.build.accountId, lowest?.build.paymentId ?? '')
    expect((await scene.build()).build.nonce).toBe(7n)
    expect((await scene.build()).build.nonce).toBe(12n)
    scene.script.nextNonce = 7n
    scene.later(60_000)
  })

  test('stay with a build that a block shows which is not final, and for its time once more when that block is gone', async () => {
    scene.script.nextNonce = 40n
    const built = await scene.build()
    expect(built.build.nonce).toBe(40n)
    await scene.mine('n', 101, 3, scene.paid(built))
    scene.later(3_600_000)
    await database.store.inTransaction('service', (tx) =>
      forgetNonces(tx, scene.deps.clock.nowMilliseconds()),
    )
    // The node has lost the block, and the follower does not know it yet.
    expect((await scene.build()).build.nonce).toBe(41n)
    scene.later(60_001)
    await scene.mine('o', 101, 4)
    expect((await scene.build()).build.nonce).toBe(41n)
    scene.later(59_000)
    expect((await scene.build()).build.nonce).toBe(42n)
    scene.later(2_000)
    expect((await scene.build()).build.nonce).toBe(40n)
    scene.later(60_001)
  })

  test('come back to a build whose block is gone, where nothing else was built for them and it was not given up', async () => {
    scene.script.nextNonce = 50n
    const [late, unwanted] = [await scene.build(), await scene.build()]
    scene.later(60_001)
    await database.store.inTransaction('service', (tx) =>
      forgetNonces(tx, scene.deps.clock.nowMilliseconds()),
    )
    await abandonBuild(scene.deps, scene.accounts[0], unwanted.build.paymentId)
    await scene.mine('p', 101, 5, scene.paid(late), scene.paid(unwanted))
    await scene.mine('q', 101, 6)
    const next = [await scene.build(), await scene.build()]
    expect(next.map(({ build }) => build.nonce)).toEqual([51n, 52n])
    scene.later(60_001)
  })

  test('of another account are no matter', async () => {
    const own = await scene.build()
    const foreign = await scene.build({ accountId: scene.accounts[1] })
    expect(foreign.build.nonce).toBe(own.build.nonce)
    const gone = abandonBuild(scene.deps, scene.accounts[1], own.build.paymentId)
    expect(await refusalOf(gone)).toMatchObject({ code: 'NOT_FOUND' })
    const absent = abandonBuild(scene.deps, scene.accounts[0], 'pay_x')
    expect(await refusalOf(absent)).toMatchObject({ code: 'NOT_FOUND' })
    scene.later(60_000)
  })
})

describe('a build', () => {
  const once = { key: 'one', fingerprint: new Uint8Array(32) }

  test('is the same one for the same key, also for 10 at once, and another body is refused', async () => {
    const results = await Promise.all(Array.from({ length: 10 }, () => scene.build({ once })))
    expect(new Set(results.map(({ build }) => build.paymentId)).size).toBe(1)
    expect(results.filter(({ replayed }) => !replayed)).toHaveLength(1)
    const [first] = results
    for (const { build } of results) expect(build).toEqual(first?.build)
    const other = scene.build({ once: { ...once, fingerprint: new Uint8Array(32).fill(1) } })
    expect(await refusalOf(other)).toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' })
  })

  test.each([
    ['coin', { native: 14n, asset: 0n }, {}, { required: '0.000000000000000015', asset: 'ETH' }],
    [
      'a token',
      { native: 10n, asset: 4n },
      { asset: TOKEN },
      { required: '0.000005', asset: 'USDC' },
    ],
    ['coin for the fee', { native: 9n, asset: 5n }, { asset: TOKEN }, { asset: 'ETH' }],
  ])(
    'that its sender has not enough %s for is refused, and nothing is stored',
    async (_, balances, fields, details) => {
      const before = await stored()
      const normal = scene.script.balances
      scene.script.balances = balances
      const asset = 'asset' in fields ? { asset: token() } : {}
      const short = scene.build({ ...asset, once: { ...once, key: 'short' } })
      expect(await refusalOf(short)).toMatchObject({ code: 'INSUFFICIENT_BALANCE', details })
      scene.script.balances = normal
      expect(await stored()).toBe(before)
    },
  )

  test('is refused where the network has been stopped', async () => {
    const standing = `update followers set halted_reason = $1`
    await write(database.store, 'test_halt', standing, ['test'])
    const before = await stored()
    expect(await refusalOf(scene.build())).toMatchObject({ code: 'NETWORK_ERROR' })
    expect(await stored()).toBe(before)
    await write(database.store, 'test_halt', standing, [null])
  })

  test('has a proof when the chain shows its commitment, and none otherwise', async () => {
    const proven = await scene.build({ amount: baseUnits(6n) })
    expect(proven.state.paymentProof).not.toBeNull()
    expect(proven.build.facts.summary.commitments).toEqual([proven.build.commitment])
    scene.script.carriesCommitment = false
    expect((await scene.build()).state.paymentProof).toBeNull()
    scene.script.carriesCommitment = true
  })
})
