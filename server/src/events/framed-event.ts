import { textFrame } from '../http/web-socket.ts'
import type { NumberedEvent } from './event.ts'

/** An event with its bytes, each made once however many readers it goes to. */
export interface FramedEvent {
  readonly event: NumberedEvent
  /** The JSON text that every way of delivery shows. */
  readonly text: string
  /** The text as a WebSocket message. */
  readonly frame: Buffer
  /** The text as a block of server-sent events. */
  readonly block: Buffer
  /** The addresses that it is about. */
  readonly addresses: readonly string[]
}

/** The JSON of an event: its data goes out as the text that was stored with the change. */
export function eventText(event: NumberedEvent): string {
  const { id, type, channel, sequence, dataText, createdAtMilliseconds } = event
  const head = JSON.stringify({ id, type, channel, sequence })
  return `${head.slice(0, -1)},"data":${dataText},"timestamp":${createdAtMilliseconds}}`
}

export function frameEvent(event: NumberedEvent): FramedEvent {
  return new Framed(event)
}

/** A class, since getters of a literal are others in each of them, and thousands of readers ask one. */
class Framed implements FramedEvent {
  readonly event: NumberedEvent
  #text: string | undefined
  #frame: Buffer | undefined
  #block: Buffer | undefined
  #addresses: readonly string[] | undefined

  constructor(event: NumberedEvent) {
    this.event = event
  }

  get text(): string {
    return (this.#text ??= eventText(this.event))
  }

  get frame(): Buffer {
    return (this.#frame ??= textFrame(this.text))
  }

  get block(): Buffer {
    const { id, type } = this.event
    return (this.#block ??= Buffer.from(`id: ${id}\nevent: ${type}\ndata: ${this.text}\n\n`))
  }

  get addresses(): readonly string[] {
    return (this.#addresses ??= addressesIn(this.event.dataText))
  }
}

function addressesIn(dataText: string): readonly string[] {
  const data: unknown = JSON.parse(dataText)
  if (typeof data !== 'object' || data === null) return []
  return ADDRESS_FIELDS.flatMap((name) => {
    const value: unknown = Reflect.get(data, name)
    return typeof value === 'string' ? [value] : []
  })
}

const ADDRESS_FIELDS = ['sender', 'recipient', 'payer', 'payTo'] as const
