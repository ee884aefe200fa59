import { afterAll, beforeAll, expect, test } from 'vitest'
import { listingsOfAccount } from '../../catalogue/store.ts'
import { BATCH_OPERATIONS } from '../../chains/batch.ts'
import { systemClock } from '../../kernel/clock.ts'
import { openKept } from '../../kernel/kept.ts'
import { limits } from '../../kernel/limits.ts'
import { openLog } from '../../kernel/log.ts'
import { openTestDatabase } from '../../store/test-database.ts'
import type { TestDatabase } from '../../store/test-database.ts'
import { openLister } from '../lister.ts'
import type { ToList } from '../lister.ts'
import { bazaarOfDeposit, listDeposit } from './list-deposit.ts'
import type { BatchSettled } from './settle-batch.ts'
import { callScene, RECEIVER } from './test-call-scene.ts'
import type { Script } from './test-call-scene.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const PROCESSING = { status: 'processing' }
const resource = 'https://shop.example/report'
let chains = 700_000

const BAZAAR = {
  info: { input: { type: 'http', method: 'GET' } },
  schema: { type: 'object' },
}
const EXTRA = { name: 'USDC', minDeposit: '50', receiverAuthorizer: RECEIVER }

/** A call that may come to its end, and what its seller shows with it. */
async function anOffer(script: Partial<Script> = {}, more: Readonly<Record<string, unknown>> = {}) {
  const terms = { amount: '5', extra: { ...EXTRA, ...more } }
  const scene = await callScene(database.store, (chains += 1), { ...script, terms })
  const { accountId } = scene
  const kept = openKept()
  const log = openLog('silent')
  const list = openLister({ store: database.store, clock: systemClock, log, kept })
  const { paymentPayload, paymentRequirements } = scene.presented
  const offered = { resource: { url: resource }, extensions: { bazaar: BAZAAR } }
  const presented = { paymentPayload: { ...paymentPayload, ...offered }, paymentRequirements }
  return {
    ...{ ...scene, presented },
    say: (settled: BatchSettled, by = list) => listDeposit(by, accountId, settled, presented),
    listed: async () => {
      await kept.ended()
      return database.store.inTransaction(accountId, (tx) => listingsOfAccount(tx, accountId))
    },
  }
}

test('a deposit is listed at the price of a request when its success is said, and counts once', async () => {
  const { ask, ends, sent, say, listed, accountId, config } = await anOffer()
  const pending = await ask()
  expect(say(pending)).toEqual(PROCESSING)
  expect(await listed()).toEqual([])
  await ends(sent[0], 'final', true)
  const first = await ask(accountId, 'K')
  expect(say(first)).toEqual(PROCESSING)
  expect(say(await ask(accountId, 'K'))).toEqual(PROCESSING)
  const { network } = config
  expect(await listed()).toMatchObject([
    {
      ...{ resource, settledCount: 1 },
      accepts: [{ scheme: 'batch-settlement', network, payTo: RECEIVER, amount: '5' }],
    },
  ])
})

test('one that was taken back and given again has counted', async () => {
  const { ask, ends, sent, say, listed } = await anOffer()
  await ask()
  await ends(sent[0], 'final', true)
  const first = await ask()
  expect(say(first)).toEqual(PROCESSING)
  await (first.kind === 'settled' && first.giveBack?.())
  expect(say(await ask())).toEqual(PROCESSING)
  expect(await listed()).toMatchObject([{ settledCount: 1 }])
  // Somebody has it now.
  expect(say(await ask())).toBeUndefined()
})

test.each(BATCH_OPERATIONS.filter((each) => each !== 'deposit'))(
  'a %s lists nothing, whatever comes with it, and says nothing of it',
  async (operation) => {
    const { ask, ends, sent, say, listed } = await anOffer({ operation, key: `${operation}:1` })
    expect(say(await ask())).toBeUndefined()
    await ends(sent[0], 'final', true)
    const settled = await ask()
    expect(settled).toMatchObject({ kind: 'settled' })
    expect(say(settled)).toBeUndefined()
    expect(await listed()).toEqual([])
  },
)

test.each([
  ['deposit', PROCESSING],
  ['voucher', undefined],
  ['refund request', undefined],
] as const)('of a %s it is said when it is verified what would be', async (operation, said) => {
  const { verify, accountId, presented, listed } = await anOffer({ operation })
  expect(bazaarOfDeposit(await verify(accountId), presented)).toEqual(said)
  expect(await listed()).toEqual([])
})

test('terms that are too long, and more than wait, are rejected; the success is as good', async () => {
  const long = 'x'.repeat(limits.catalogueRequirementCharactersMax)
  const { ask, ends, sent, say, listed } = await anOffer({}, { long })
  await ask()
  await ends(sent[0], 'final', true)
  const settled = await ask()
  expect(say(settled)).toEqual({ status: 'rejected', rejectedReason: 'too_large' })
  expect(await listed()).toEqual([])
  const full = await anOffer()
  await full.ask()
  await full.ends(full.sent[0], 'final', true)
  expect(full.say(await full.ask(), () => false)).toEqual({
    ...{ status: 'rejected', rejectedReason: 'not_stored' },
  })
})

test('what a server tells one buyer of its channel is shown to no other', async () => {
  const ofOne = { channelState: { balance: '7' }, voucherState: { signature: '0x11' } }
  const { ask, ends, sent, say } = await anOffer({}, ofOne)
  await ask()
  await ends(sent[0], 'final', true)
  const lists: ToList[] = []
  say(await ask(), (each) => lists.push(each) > 0)
  expect(lists.map(({ listing }) => listing.accept.requirement['extra'])).toEqual([EXTRA])
})
