import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestEvents } from '@florin/server/events/test-event-service.ts'
import type { TestEvents, TestInstance } from '@florin/server/events/test-event-service.ts'
import { until } from '@florin/server/kernel/until.ts'
import { runListen } from './listen.ts'

let world: TestEvents
let service: TestInstance
beforeAll(async () => {
  world = await openTestEvents()
  service = await world.start()
})
afterAll(() => world.close())

test('florin listen prints each event as a line until it is interrupted', async () => {
  const key = await world.aKey()
  const interrupt = new AbortController()
  const lines: string[] = []
  const notes: string[] = []
  const running = runListen({
    args: ['--keys', 'payments', '--json'],
    environment: { FLORIN_BASE_URL: service.url, FLORIN_API_KEY: key.text },
    print: (text) => void lines.push(text),
    note: (text) => void notes.push(text),
    interrupted: () => interrupt.signal,
  })
  await until('it listens', () => notes.some((note) => note.startsWith('Listening')), {
    seconds: 30,
  })
  await service.tell(key.accountId, 'a', 'b')
  await until('both are printed', () => lines.length === 2, { seconds: 30 })
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { sequence: 1, data: { name: 'a' } },
    { sequence: 2, data: { name: 'b' } },
  ])
  interrupt.abort()
  expect(await running).toBe(0)
})
