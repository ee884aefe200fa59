import { MARKET_EVENTS } from '@florin/wire/event-types.ts'
import type { MarketEventType } from '@florin/wire/event-types.ts'
import { textFrame } from '../http/web-socket.ts'

/** Something that a market showed, for everybody who listens. It has no number and is not given again. */
export interface MarketEvent {
  readonly id: string
  readonly type: MarketEventType
  readonly network: string
  readonly mint: string
  /** It takes back an earlier one. */
  readonly isRetraction: boolean
  /** The JSON text of its data. */
  readonly dataText: string
  readonly atMilliseconds: number
}

/** A market's event with its bytes, each made once however many readers it goes to. */
export interface FramedMarketEvent {
  readonly event: MarketEvent
  readonly channel: string
  /** The text as a WebSocket message. */
  readonly frame: Buffer
  /** The text as a block of server-sent events. Without an id: a reader that comes back goes on after an account's event. */
  readonly block: Buffer
}

export function frameMarketEvent(event: MarketEvent): FramedMarketEvent {
  return new FramedMarket(event)
}

/** A class for the same reason as an account's. */
class FramedMarket implements FramedMarketEvent {
  readonly event: MarketEvent
  readonly channel: string
  readonly #text: string
  #frame: Buffer | undefined
  #block: Buffer | undefined

  constructor(event: MarketEvent) {
    const { id, type, dataText, atMilliseconds } = event
    this.event = event
    this.channel = MARKET_EVENTS[type]
    const head = JSON.stringify({ id, type, channel: this.channel })
    this.#text = `${head.slice(0, -1)},"data":${dataText},"timestamp":${atMilliseconds}}`
  }

  get frame(): Buffer {
    return (this.#frame ??= textFrame(this.#text))
  }

  get block(): Buffer {
    return (this.#block ??= Buffer.from(`event: ${this.event.type}\ndata: ${this.#text}\n\n`))
  }
}
