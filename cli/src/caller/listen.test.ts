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

test('an event is printed with the address of its asset where the names cannot be had', async () => {
  const key = await world.aKey()
  const interrupt = new AbortController()
  const lines: string[] = []
  const notes: string[] = []
  const running = runListen({
    args: ['--keys', 'payments'],
    environment: { FLORIN_BASE_URL: service.url, FLORIN_API_KEY: key.text },
    print: (text) => void lines.push(text),
    note: (text) => void notes.push(text),
    interrupted: () => interrupt.signal,
  })
  await until('it listens', () => notes.some((note) => note.startsWith('Listening')), {
    seconds: 30,
  })
  await service.tellOf(key.accountId, 'a', {
    network: 'eip155:84532',
    asset: '0x036C',
    amount: '2',
  })
  await until('it is printed', () => lines.length === 1, { seconds: 30 })
  expect(lines[0]).toContain('  2  0x036C  evt_')
  interrupt.abort()
  expect(await running).toBe(0)
})
