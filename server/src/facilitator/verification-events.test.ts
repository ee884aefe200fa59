import { afterAll, beforeAll, expect, test } from 'vitest'
import { OUTBOX_FACTS } from '../events/test-facts.ts'
import { RelayLost } from '../events/relay-store.ts'
import type { OutboxEvent } from '../events/facts.ts'
import { systemClock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import { openLog } from '../kernel/log.ts'
import { makeWallet } from '../payments/test-lane.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openVerificationEvents } from './verification-events.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const LOST = new RelayLost('it went to another instance')

test.each<[string, () => Promise<void> | undefined]>([
  ['where another instance numbers', () => undefined],
  ['where another instance numbers by now', () => Promise.reject(LOST)],
])(
  'many verifications are told of with one write, and no more than the limit wait: %s',
  async (_, number) => {
    const { accountId } = await makeWallet(database.store)
    let writes = 0
    const store = {
      ...database.store,
      inTransaction: (...args: Parameters<typeof database.store.inTransaction>) => {
        writes += 1
        return database.store.inTransaction(...args)
      },
    }
    const events = openVerificationEvents({
      ...{ store: store as typeof database.store, clock: systemClock, log: openLog('silent') },
      relay: { number },
    })
    const no = {
      ok: false,
      reason: 'unsupported_scheme',
      payer: null,
      networkName: 'base',
    } as const
    for (let count = 0; count < limits.verificationEventsMax + 5; count += 1) {
      events.note(accountId, no)
    }
    await events.stop()
    expect(writes).toBe(1)
    const rows = await database.store.query(
      'test_verifications',
      `select count(*)::int as count, min(data ->> 'reason') as reason from ${OUTBOX_FACTS}
       where type = 'verification' and account_id = $1`,
      [accountId],
    )
    expect(rows).toEqual([{ count: limits.verificationEventsMax, reason: 'unsupported_scheme' }])
  },
)

test('verifications are numbered without the way through the outbox where this instance numbers', async () => {
  const { accountId } = await makeWallet(database.store)
  const numbered: string[] = []
  const number = async (events: readonly OutboxEvent[]) => {
    numbered.push(...events.map(({ type }) => type))
  }
  const { store } = database
  const refusing = { ...store, inTransaction: () => Promise.reject(new Error('was asked')) }
  const events = openVerificationEvents({
    ...{ store: refusing, clock: systemClock, log: openLog('silent'), relay: { number } },
  })
  const no = { ok: false, reason: 'unsupported_scheme', payer: null, networkName: 'base' } as const
  events.note(accountId, no)
  events.note(accountId, no)
  await events.stop()
  expect(numbered).toEqual(['verification', 'verification'])
})

test('the event of a refusal repeats no more of what was called its network than a network has', async () => {
  const { accountId } = await makeWallet(database.store)
  const told: OutboxEvent[] = []
  const number = async (events: readonly OutboxEvent[]) => void told.push(...events)
  const events = openVerificationEvents({
    ...{ store: database.store, clock: systemClock, log: openLog('silent'), relay: { number } },
  })
  const no = { ok: false, reason: 'invalid_network', payer: null } as const
  // The second would be cut in the middle of a character.
  for (const networkName of ['x'.repeat(60_000), `${'x'.repeat(63)}\u{1f512}`, 'base-sepolia']) {
    events.note(accountId, { ...no, networkName })
  }
  await events.stop()
  expect(told.map(({ data }) => data['network'])).toEqual([
    'x'.repeat(64),
    `${'x'.repeat(63)}\ufffd`,
    'base-sepolia',
  ])
})
