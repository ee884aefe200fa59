import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Refusal } from '@florin/wire/errors.ts'
import { openLog } from '../kernel/log.ts'
import { until } from '../kernel/until.ts'
import { openRequestCounts } from './count-requests.ts'
import { forgetOldDays } from './forget-days.ts'
import { NOW, openTestReports } from './test-reports.ts'
import type { TestReports } from './test-reports.ts'

function fail(): never {
  throw new Error('there is no such key')
}

let reports: TestReports
beforeAll(async () => {
  reports = await openTestReports()
})
afterAll(() => reports.close())

describe('usage', () => {
  test('says the plan, its limits and what each key has used of its window', async () => {
    const key = reports.keys.get('carol') ?? fail()
    reports.windows.take(key, 1_000)
    reports.windows.take(key, 1_000)
    const usage = await reports.read('/usage', 'carol')
    expect(usage).toMatchObject({
      plan: 'premium',
      limits: { requestsPerMinute: 1000, keys: 20, eventSockets: 20 },
    })
    expect(usage.keys).toMatchObject([
      { keyId: key, plan: 'premium', used: 2, resetsAt: reports.time.now + 60_000 },
    ])
    expect(usage.days).toHaveLength(30)
    expect(usage.days.every(({ requests }) => requests === 0)).toBe(true)
  })

  test('counts requests by day, all accounts in one statement, and adds up over instances', async () => {
    const writes: string[] = []
    const store = {
      ...reports.database.store,
      inTransaction: ((scope, work) => {
        writes.push(scope)
        return reports.database.store.inTransaction(scope, work)
      }) as typeof reports.database.store.inTransaction,
    }
    // Whoever is remembered is let in at once, everybody else after a look.
    let admitted = 0
    const who = (name: keyof typeof reports.accounts) => {
      const caller = {
        accountId: reports.accounts[name],
        keyId: reports.keys.get(name) ?? fail(),
        plan: 'standard' as const,
        scopes: new Set<never>(),
      }
      return (admitted += 1) % 2 === 0 ? caller : Promise.resolve(caller)
    }
    const arrival = (name: string) => ({ authorization: [name] }) as never
    const gate = {
      admit: ({ authorization }: { authorization: readonly string[] }) =>
        authorization[0] === 'nobody'
          ? Promise.reject(new Refusal('UNAUTHORIZED'))
          : who(authorization[0] === 'bob' ? 'bob' : 'carol'),
      admitAgain: async () => who('bob'),
      admitStranger: () => undefined,
      admitFileReader: () => undefined,
    }
    const instances = [1, 2].map(() => {
      const counts = openRequestCounts({ store, clock: reports.clock, log: openLog('silent') })
      return { counts, gate: counts.counted(gate) }
    })
    const admit = async (instance: (typeof instances)[number], name: string) =>
      await instance.gate.admit(arrival(name))
    for (const instance of instances) {
      for (const name of ['carol', 'carol', 'bob']) await admit(instance, name)
      await expect(admit(instance, 'nobody')).rejects.toThrow()
      await instance.counts.stop()
    }
    expect(writes).toEqual(['service', 'service'])
    const today = async () => (await reports.read('/usage', 'carol')).days.at(-1)
    await until('they are written', async () => (await today())?.requests === 4, { seconds: 60 })
    expect(await today()).toEqual({ day: '2026-09-21', requests: 4 })
  })

  test('forgets days that are too long ago', async () => {
    await reports.sql(
      'test_old',
      `insert into request_days values ($1, '2025-01-01', 1), ($1, '2026-09-20', 5)`,
      [reports.accounts.alice],
    )
    await reports.database.store.inTransaction('service', (tx) => forgetOldDays(tx, NOW))
    expect(
      await reports.sql('test_left', `select day::text from request_days where account_id = $1`, [
        reports.accounts.alice,
      ]),
    ).toEqual([{ day: '2026-09-20' }])
  })
})
