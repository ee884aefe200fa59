import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import type { FramedEvent } from './framed-event.ts'

/** How a way of delivery writes events to its connections. */
export interface EventForm<Connection> {
  /** False once the connection takes nothing any more. */
  send(connection: Connection, event: FramedEvent): boolean
  bytesOf(event: FramedEvent): number
}

/** What waits for a connection that does not keep up. */
interface Behind {
  readonly queue: FramedEvent[]
  /** Where in the queue the next one lies. */
  front: number
  bytes: number
}

/** What a reader has yet to be sent: references to shared frames, so that a slow reader costs no copies. */
export class Outgoing<
  Connection extends { readonly waitingBytes: number },
  Form extends EventForm<Connection> = EventForm<Connection>,
> {
  // First what a reader who keeps up is asked for: fields lie in memory in this order, and thousands are asked, each a cache miss per line.
  #behind: Behind | undefined
  #isOver = false
  #takenBytes = 0
  #lastId: string | undefined
  /** Its `waitingBytes` are what it still holds back. */
  protected readonly connection: Connection
  protected readonly form: Form
  readonly #clock: Clock
  #waiters: (() => void)[] | undefined
  /** All that was taken up to a moment; when it has not gone out long afterwards, the reader is slow. */
  #mark: { readonly bytes: number; readonly atMilliseconds: number } | undefined

  constructor(clock: Clock, connection: Connection, form: Form) {
    this.#clock = clock
    this.connection = connection
    this.form = form
  }

  take(events: readonly FramedEvent[]): void {
    for (const framed of events) this.takeOne(framed)
  }

  takeOne(framed: FramedEvent): void {
    if (this.#isOver) return
    const bytes = this.form.bytesOf(framed)
    this.#takenBytes += bytes
    if (this.#behind === undefined && this.#hasRoom()) this.#sendOne(framed)
    else {
      this.#behind ??= { queue: [], front: 0, bytes: 0 }
      this.#behind.queue.push(framed)
      this.#behind.bytes += bytes
    }
  }

  /** Goes on sending; call it when the connection has room again. */
  pump(): void {
    const behind = this.#behind
    if (behind !== undefined) {
      const { queue } = behind
      while (!this.#isOver && behind.front < queue.length && this.#hasRoom()) {
        const framed = queue[behind.front]
        behind.front += 1
        if (framed === undefined) break
        behind.bytes -= this.form.bytesOf(framed)
        this.#sendOne(framed)
      }
      if (behind.front < queue.length) return
      this.#behind = undefined
    }
    if (this.#hasRoom()) this.#wake()
  }

  /** Resolves when nearly all was handed to the connection, or it is over. */
  ready(): Promise<void> {
    if (this.#isOver || (this.#behind === undefined && this.#hasRoom())) return Promise.resolve()
    return new Promise((resolve) => {
      this.#waiters ??= []
      this.#waiters.push(resolve)
    })
  }

  /** Whether more than limits.socketBehindBytesMax wait, or the oldest of it for limits.socketBehindSeconds. */
  isTooFarBehind(): boolean {
    const waiting = (this.#behind?.bytes ?? 0) + this.connection.waitingBytes
    if (waiting > limits.socketBehindBytesMax) return true
    const now = this.#clock.nowMilliseconds()
    const mark = this.#mark
    if (mark === undefined || this.#takenBytes - waiting >= mark.bytes) {
      this.#mark = waiting === 0 ? undefined : { bytes: this.#takenBytes, atMilliseconds: now }
      return false
    }
    // The clock was set back: nobody knows how long it has waited, so it counts from here.
    if (now < mark.atMilliseconds) this.#mark = { bytes: mark.bytes, atMilliseconds: now }
    return now - mark.atMilliseconds > limits.socketBehindSeconds * 1000
  }

  /** The last event that was handed to the connection since it was last cleared. */
  lastId(): string | undefined {
    return this.#lastId
  }

  /** Whether the connection has room and nothing waits for it here. */
  keepsUp(): boolean {
    return !this.#isOver && this.#behind === undefined && this.#hasRoom()
  }

  /** Counts bytes that went out beside, so that a reader of many is not taken for a slow one. */
  sentBeside(bytes: number): void {
    this.#takenBytes += bytes
  }

  /** Forgets what was not sent, since it will come again. */
  clear(): void {
    this.#takenBytes -= this.#behind?.bytes ?? 0
    this.#behind = undefined
    this.#lastId = undefined
    this.#mark = undefined
    this.#wake()
  }

  /** The same, and takes nothing any more. */
  stop(): void {
    this.#end()
  }

  #hasRoom(): boolean {
    return this.connection.waitingBytes < limits.socketAheadBytes
  }

  #sendOne(framed: FramedEvent): void {
    if (this.form.send(this.connection, framed)) this.#lastId = framed.event.id
    else this.#end()
  }

  #end(): void {
    this.#isOver = true
    this.clear()
  }

  #wake(): void {
    const woken = this.#waiters
    if (woken === undefined) return
    this.#waiters = undefined
    for (const resolve of woken) resolve()
  }
}
