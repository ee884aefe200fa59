import { afterAll, beforeAll, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import type { Address, Chain } from '../chains/chain.ts'
import { proofKey } from '../chains/exact.ts'
import type { ExactAuthorization } from '../chains/exact.ts'
import { claimSoftly } from '../facilitator/claim-softly.ts'
import { findClaim } from '../facilitator/claim-store.ts'
import type { Intake } from '../facilitator/intake.ts'
import { systemClock } from '../kernel/clock.ts'
import { systemRandom } from '../kernel/random.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { recordsOf } from './test-claims.ts'
import { makeWallet, testNetwork } from './test-lane.ts'

const config = testNetwork(84_532)
const KEY = proofKey('one nonce')

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test('of two signatures of one payment the one that can be used longer is followed', async () => {
  const { store } = database
  const { accountId } = await makeWallet(store)
  const asset = config.assets.find((each) => each.asset !== 'native')
  if (asset === undefined) throw new Error('no token')
  const build = (signature: string, validBeforeSeconds: bigint) => {
    const authorization: ExactAuthorization = {
      ...{ proofKey: KEY, payer: '0xa1' as Address, asset, payTo: '0xa2' as Address },
      ...{ amount: baseUnits(5n), validBeforeSeconds, feePayer: null, stored: { signature } },
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
  }
  const followed = () => store.inTransaction('service', (tx) => findClaim(tx, config.network, KEY))

  const first = await build('first', 100n)
  if (first.kind !== 'claimed') throw new Error('it was not claimed')
  const later = await build('later', 200n)
  expect(later).toMatchObject({ kind: 'claimed', paymentId: first.paymentId })
  expect(await followed()).toMatchObject({
    stored: { signature: 'later' },
    validBeforeSeconds: 200n,
  })
  await build('sooner', 150n)
  expect(await followed()).toMatchObject({
    stored: { signature: 'later' },
    validBeforeSeconds: 200n,
  })
})
