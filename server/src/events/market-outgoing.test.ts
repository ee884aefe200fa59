import { describe, expect, test } from 'vitest'
import type { MarketEventType } from '@florin/wire/event-types.ts'
import { limits } from '../kernel/limits.ts'
import { frameMarketEvent } from './market-event.ts'
import { openMarketOutgoing } from './market-outgoing.ts'

const framed = (id: number, type: MarketEventType, mint = 'mint', isRetraction = false) =>
  frameMarketEvent({
    ...{ id: `${type} ${mint} ${id}`, type, mint, network: 'eip155:1', isRetraction },
    ...{ dataText: '{}', atMilliseconds: 0 },
  })

/** A connection with room for so many. */
function open(room: number) {
  const sent: string[] = []
  const connection = { room }
  const outgoing = openMarketOutgoing({
    hasRoom: () => connection.room > 0,
    send: ({ event }) => {
      connection.room -= 1
      sent.push(event.id)
    },
  })
  return { sent, connection, outgoing }
}

describe('market events for one reader', () => {
  test('go out as they come while there is room, however many', () => {
    const { sent, outgoing } = open(Infinity)
    const trades = Array.from({ length: 3 * limits.marketTradesWaitingMax }, (_, id) =>
      framed(id, 'trade'),
    )
    outgoing.take(trades)
    expect(sent).toEqual(trades.map(({ event }) => event.id))
    expect(outgoing.waiting()).toBe(0)
  })

  test('of a slow one only the newest price of each token waits', () => {
    const { sent, connection, outgoing } = open(0)
    for (let id = 0; id < 50; id += 1) {
      outgoing.take([framed(id, 'priceUpdate', 'a'), framed(id, 'priceUpdate', 'b')])
    }
    expect(outgoing.waiting()).toBe(2)
    connection.room = 10
    outgoing.pump()
    expect(sent).toEqual(['priceUpdate a 49', 'priceUpdate b 49'])
  })

  test('of a slow one the newest trades wait, and what takes a trade back longest', () => {
    const { sent, connection, outgoing } = open(0)
    outgoing.take([framed(0, 'trade', 'gone', true)])
    for (let id = 1; id <= 500; id += 1) outgoing.take([framed(id, 'trade')])
    expect(outgoing.waiting()).toBe(limits.marketTradesWaitingMax)
    connection.room = 1_000
    outgoing.pump()
    expect(sent[0]).toBe('trade gone 0')
    expect(sent.at(-1)).toBe('trade mint 500')
    expect(sent).toHaveLength(limits.marketTradesWaitingMax)
  })

  test('of prices no more tokens wait than the limit says', () => {
    const { outgoing } = open(0)
    for (let id = 0; id < 2 * limits.marketPricesWaitingMax; id += 1) {
      outgoing.take([framed(id, 'priceUpdate', `m${id}`)])
    }
    expect(outgoing.waiting()).toBe(limits.marketPricesWaitingMax)
  })
})
