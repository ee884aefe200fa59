import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openLive } from './live.ts'
import type { Live } from './live.ts'

/** A connection whose other end a test plays. */
class FakeSocket extends EventTarget {
  static readonly OPEN = 1
  static readonly made: FakeSocket[] = []
  /** Whether the other end answers what it is asked. */
  static answers = true
  readonly said: string[] = []
  readyState = FakeSocket.OPEN

  constructor() {
    super()
    FakeSocket.made.push(this)
    queueMicrotask(() => this.dispatchEvent(new Event('open')))
  }

  send(text: string): void {
    this.said.push(text)
    const { method }: { method?: unknown } = JSON.parse(text)
    const answer = method === 'ping' ? { type: 'pong' } : { type: 'subscribed', cursor: 'evt_7' }
    if (FakeSocket.answers) this.hear(answer)
  }

  hear(message: object): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }))
  }

  /** As over a line that is cut: nothing comes back, no end either. */
  close(): void {
    this.readyState = 2
  }
}

let live: Live
beforeEach(async () => {
  vi.useFakeTimers()
  vi.stubGlobal('WebSocket', FakeSocket)
  FakeSocket.made.length = 0
  FakeSocket.answers = true
  const call = async () => ({ ticket: 'tkt_1' }) as never
  live = openLive({ api: { call }, origin: 'http://127.0.0.1:4020' })
  await vi.advanceTimersByTimeAsync(0)
})
afterEach(() => {
  live.stop()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('a connection that answers is kept', async () => {
  await vi.advanceTimersByTimeAsync(300_000)
  expect(live.state()).toBe('live')
  expect(FakeSocket.made).toHaveLength(1)
})

test('one that is dead without a word is told as away, and made again after the last event', async () => {
  FakeSocket.answers = false
  await vi.advanceTimersByTimeAsync(30_000)
  expect(live.state()).toBe('away')
  FakeSocket.answers = true
  await vi.advanceTimersByTimeAsync(1_000)
  expect(live.state()).toBe('live')
  const [lost, now] = FakeSocket.made
  expect(JSON.parse(now?.said[0] ?? '{}')).toMatchObject({ method: 'subscribe', after: 'evt_7' })
  // What the lost one still says, or its end, changes nothing.
  lost?.dispatchEvent(new Event('close'))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(live.state()).toBe('live')
  expect(FakeSocket.made).toHaveLength(2)
})
