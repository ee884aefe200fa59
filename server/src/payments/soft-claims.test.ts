import { afterAll, beforeAll, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import type { Address, Chain } from '../chains/chain.ts'
import { proofKey } from '../chains/exact.ts'
import type { ExactAuthorization, ProofKey } from '../chains/exact.ts'
import { isShown } from '../facilitator/claim.ts'
import type { Claim } from '../facilitator/claim.ts'
import { claimSoftly } from '../facilitator/claim-softly.ts'
import type { SoftlyClaimed } from '../facilitator/claim-softly.ts'
import { findClaim } from '../facilitator/claim-store.ts'
import type { Intake } from '../facilitator/intake.ts'
import { systemClock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import { systemRandom } from '../kernel/random.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { recordsOf } from './test-claims.ts'
import { makeWallet, testNetwork } from './test-lane.ts'

const config = testNetwork(84_532)

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

interface Scene {
  /** Builds with a signature of the payment; one that only code can judge where the scene says so. */
  build(signature: string, validBeforeSeconds: bigint): Promise<SoftlyClaimed>
  followed(): Promise<Claim>
}

async function openScene(key: ProofKey, shown: Pick<ExactAuthorization, 'awaitsCode'> = {}) {
  const { store } = database
  const { accountId } = await makeWallet(store)
  const asset = config.assets.find((each) => each.asset !== 'native')
  if (asset === undefined) throw new Error('no token')
  const scene: Scene = {
    build: (signature, validBeforeSeconds) => {
      const authorization: ExactAuthorization = {
        ...{ proofKey: key, payer: '0xa1' as Address, asset, payTo: '0xa2' as Address },
        ...{ amount: baseUnits(5n), validBeforeSeconds, feePayer: null, stored: { signature } },
        ...shown,
      }
      const intake: Partial<Intake> = {
        ...{ chain: { config } as Chain, authorization, resource: null },
        ...{ requirements: { network: config.network } as Intake['requirements'] },
        payment: { x402Version: 2 } as Intake['payment'],
      }
      const deps = { records: recordsOf(store, config), clock: systemClock, random: systemRandom }
      const untilMilliseconds = systemClock.nowMilliseconds() + 60_000
      return store.inTransaction('service', (tx) =>
        claimSoftly(tx, deps, { accountId, intake: intake as Intake, untilMilliseconds }),
      )
    },
    followed: async () => {
      const claim = await store.inTransaction('service', (tx) => findClaim(tx, config.network, key))
      if (claim === undefined) throw new Error('no claim')
      return claim
    },
  }
  return scene
}

test('of two signatures of one payment the one that can be used longer is followed', async () => {
  const { build, followed } = await openScene(proofKey('one nonce'))
  const first = await build('first', 100n)
  if (first.kind !== 'claimed') throw new Error('it was not claimed')
  const later = await build('later', 200n)
  expect(later).toMatchObject({ kind: 'claimed', paymentId: first.paymentId })
  const longest = { stored: { signature: 'later' }, validBeforeSeconds: 200n }
  expect(await followed()).toMatchObject(longest)
  await build('sooner', 150n)
  expect(await followed()).toMatchObject(longest)
})

test('each of them that its payer’s code was asked about shows the payment, and no other', async () => {
  const { build, followed } = await openScene(proofKey('a nonce of code'), { awaitsCode: true })
  const isKnown = async (signature: string) =>
    isShown(await followed(), { awaitsCode: true, stored: { signature } })
  await build('first', 100n)
  await build('later', 200n)
  await build('sooner', 150n)
  for (const signature of ['first', 'later', 'sooner']) {
    expect(await isKnown(signature)).toBe(true)
  }
  expect(await isKnown('made up')).toBe(false)
  // Building again and again makes no row grow without an end.
  for (let more = 0; more < limits.claimSignaturesMax; more += 1) await build(`more ${more}`, 120n)
  expect((await followed()).judged.length).toBeLessThanOrEqual(limits.claimSignaturesMax)
  expect(await isKnown('later')).toBe(true)
})
