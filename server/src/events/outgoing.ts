import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import type { FramedEvent } from './framed-event.ts'

/** What a reader has yet to be sent: references to shared frames, so that a slow reader costs no copies. */
export interface Outgoing {
  take(events: readonly FramedEvent[]): void
  /** Goes on sending; call it when the connection has room again. */
  pump(): void
  /** Resolves when nearly all was handed to the connection, or it is over. */
  ready(): Promise<void>
  /** Whether more than limits.socketBehindBytesMax wait, or the oldest of it for limits.socketBehindSeconds. */
  isTooFarBehind(): boolean
  /** The last event that was handed to the connection since it was last cleared. */
  lastId(): string | undefined
  /** Whether the connection has room and nothing waits for it here. */
  isIdle(): boolean
  /** Counts bytes that went out beside, so that a reader of many is not taken for a slow one. */
  sentBeside(bytes: number): void
  /** Forgets what was not sent, since it will come again. */
  clear(): void
  /** The same, and takes nothing any more. */
  stop(): void
}

export function openOutgoing({
  clock,
  send,
  bytesOf,
  waitingBytes,
}: {
  readonly clock: Clock
  /** False once the connection takes nothing any more. */
  send(event: FramedEvent): boolean
  bytesOf(event: FramedEvent): number
  /** What the connection still holds back. */
  waitingBytes(): number
}): Outgoing {
  let queue: FramedEvent[] = []
  let front = 0
  let queuedBytes = 0
  let takenBytes = 0
  let last: string | undefined
  let isOver = false
  let waiters: (() => void)[] = []
  /** All that was taken up to a moment; when it has not gone out long afterwards, the reader is slow. */
  let mark: { readonly bytes: number; readonly atMilliseconds: number } | undefined

  const hasRoom = () => waitingBytes() < limits.socketAheadBytes

  function sendOne(framed: FramedEvent): void {
    if (send(framed)) last = framed.event.id
    else stop()
  }

  function wake(): void {
    const woken = waiters
    waiters = []
    for (const resolve of woken) resolve()
  }

  function clear(): void {
    queue = []
    front = 0
    takenBytes -= queuedBytes
    queuedBytes = 0
    last = undefined
    mark = undefined
    wake()
  }

  function stop(): void {
    isOver = true
    clear()
  }

  function pump(): void {
    while (!isOver && front < queue.length && hasRoom()) {
      const framed = queue[front]
      front += 1
      if (framed === undefined) break
      queuedBytes -= bytesOf(framed)
      sendOne(framed)
    }
    if (front < queue.length) return
    queue = []
    front = 0
    if (hasRoom()) wake()
  }

  return {
    take: (events) => {
      for (const framed of events) {
        if (isOver) return
        const bytes = bytesOf(framed)
        takenBytes += bytes
        if (queue.length === 0 && hasRoom()) sendOne(framed)
        else {
          queue.push(framed)
          queuedBytes += bytes
        }
      }
    },
    pump,
    ready: () =>
      isOver || (queue.length === 0 && hasRoom())
        ? Promise.resolve()
        : new Promise((resolve) => waiters.push(resolve)),
    isTooFarBehind: () => {
      const waiting = queuedBytes + waitingBytes()
      if (waiting > limits.socketBehindBytesMax) return true
      const now = clock.nowMilliseconds()
      const isOut = mark === undefined || takenBytes - waiting >= mark.bytes
      if (isOut) mark = waiting === 0 ? undefined : { bytes: takenBytes, atMilliseconds: now }
      return mark !== undefined && now - mark.atMilliseconds > limits.socketBehindSeconds * 1000
    },
    lastId: () => last,
    isIdle: () => !isOver && queue.length === 0 && hasRoom(),
    sentBeside: (bytes) => {
      takenBytes += bytes
    },
    clear,
    stop,
  }
}
