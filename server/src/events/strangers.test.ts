import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import { until } from '../kernel/until.ts'
import { openTestEvents, openTestSocket } from './test-event-service.ts'
import type { TestEvents, TestInstance, TestSocket } from './test-event-service.ts'

const SOON = { seconds: 30 }
/** A connection that ended without a word. */
const CUT = 1006

let world: TestEvents
let service: TestInstance
beforeAll(async () => {
  world = await openTestEvents()
  service = await world.start()
})
afterAll(() => world.close())

function pongsOf({ socket }: TestSocket): () => number {
  let count = 0
  socket.on('pong', () => (count += 1))
  return () => count
}
const pings = ({ socket }: TestSocket, count: number) => {
  for (let n = 0; n < count; n += 1) socket.ping('x')
}

test('pings of a stranger are answered as long as they are few, and then end the socket', async () => {
  const socket = await openTestSocket(service.socketUrl)
  const pongs = pongsOf(socket)
  pings(socket, 3)
  await until('they are answered', () => pongs() === 3, SOON)
  pings(socket, 2 * limits.socketStrangerMessagesPerSecond + 1)
  expect(await socket.closed()).toMatchObject({ code: CUT })
  expect(pongs()).toBeLessThanOrEqual(2 * limits.socketStrangerMessagesPerSecond)
})

test('pings count as messages of the account whose key it is', async () => {
  const key = await world.aKey()
  const socket = await openTestSocket(service.socketUrl, { key: key.text })
  await socket.next('authenticated')
  const pongs = pongsOf(socket)
  pings(socket, 2 * limits.socketStrangerMessagesPerSecond)
  await until(
    'they are answered',
    () => pongs() === 2 * limits.socketStrangerMessagesPerSecond,
    SOON,
  )
  // 50 in a second are a standard account's, and two seconds may have begun.
  pings(socket, 101)
  expect(await socket.closed()).toMatchObject({ code: CUT })
})

test('a stranger says no more than a kilobyte at once, whole or in parts; who has a key may', async () => {
  const long = JSON.stringify({ method: 'ping', more: 'x'.repeat(limits.socketStrangerBytesMax) })
  const whole = await openTestSocket(service.socketUrl)
  whole.socket.send(long)
  expect(await whole.closed()).toMatchObject({ code: 1009 })
  const parts = await openTestSocket(service.socketUrl)
  parts.socket.send('x'.repeat(2 * limits.socketStrangerBytesMax), { fin: false })
  expect(await parts.closed()).toMatchObject({ code: CUT })
  const known = await openTestSocket(service.socketUrl, {
    key: (await world.aKey()).text,
  })
  await known.next('authenticated')
  known.socket.send(long)
  expect(await known.next('error')).toMatchObject({ data: { code: 'INVALID_PARAMETERS' } })
  known.socket.terminate()
})

test('a stranger, and a reader that is dead, do not stay for as long as the clock was set back', async () => {
  let behind = 0
  const clock = { ...systemClock, nowMilliseconds: () => systemClock.nowMilliseconds() - behind }
  const instance = await world.start({ clock })
  const key = await world.aKey()
  const stranger = await openTestSocket(instance.socketUrl)
  const dead = await openTestSocket(instance.socketUrl, { key: key.text, autoPong: false })
  await dead.next('authenticated')
  const asked = once(dead.socket, 'ping')
  behind = 3_600_000
  expect(await stranger.closed()).toMatchObject({ code: 4401 })
  await asked
  behind = 2 * 3_600_000
  expect(await dead.closed()).toMatchObject({ code: CUT })
  await instance.stop()
})
