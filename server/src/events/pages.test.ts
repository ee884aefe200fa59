import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../kernel/until.ts'
import { openTestEvents } from './test-event-service.ts'
import type { TestEvents, TestInstance } from './test-event-service.ts'

let world: TestEvents
let service: TestInstance
beforeAll(async () => {
  world = await openTestEvents()
  service = await world.start()
})
afterAll(() => world.close())

test('pages begin so many events before the newest when they are asked for the last ones', async () => {
  const key = await world.aKey()
  const read = async (query: string) => {
    const headers = { authorization: `Bearer ${key.text}` }
    const page = await fetch(`${service.url}/events?${query}`, { headers })
    return { status: page.status, body: Object(await page.json()) }
  }
  expect((await read('last=5')).body).toMatchObject({ events: [], hasMore: false })
  await service.tell(key.accountId, 'a', 'b', 'c')
  const all = await until(
    'they are numbered',
    async () => {
      const { events } = (await read('last=500')).body
      return events.length === 3 ? events : undefined
    },
    { seconds: 60 },
  )
  expect(all.map(({ sequence }: { sequence: number }) => sequence)).toEqual([1, 2, 3])
  expect((await read('last=2')).body).toMatchObject({ events: all.slice(1), hasMore: false })
  expect((await read('last=2&limit=1')).body).toMatchObject({
    events: [all[1]],
    hasMore: true,
    nextAfter: all[1].id,
  })
  expect((await read(`last=2&after=${all[0].id}`)).status).toBe(400)
  expect((await read('last=0')).status).toBe(400)
})
