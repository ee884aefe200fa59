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
  const channel = MARKET_EVENTS[event.type]
  const head = JSON.stringify({ id: event.id, type: event.type, channel })
  const text = `${head.slice(0, -1)},"data":${event.dataText},"timestamp":${event.atMilliseconds}}`
  let frame: Buffer | undefined
  let block: Buffer | undefined
  return {
    event,
    channel,
    get frame() {
      return (frame ??= textFrame(text))
    },
    get block() {
      return (block ??= Buffer.from(`event: ${event.type}\ndata: ${text}\n\n`))
    },
  }
}
