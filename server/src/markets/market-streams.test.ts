import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestEvents, openTestSocket } from '../events/test-event-service.ts'
import type { TestEvents, TestInstance, TestSocket } from '../events/test-event-service.ts'
import { systemClock } from '../kernel/clock.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { until } from '../kernel/until.ts'
import { startMarketDriver } from './market-driver.ts'
import type { MarketDriver } from './market-driver.ts'
import { openTestMarketChain, TEST_MINTS } from './test-market-chain.ts'

const [MINT, OTHER, QUIET] = TEST_MINTS
const SOON = { seconds: 40 }
const chain = openTestMarketChain()

let world: TestEvents
let instances: readonly TestInstance[]
let driver: MarketDriver
beforeAll(async () => {
  world = await openTestEvents()
  instances = [await world.start(), await world.start()]
  driver = startMarketDriver({
    ...{ chain: chain.chain, store: world.database.store, clock: systemClock },
    ...{ random: systemRandom, log: openLog('silent'), instance: 'reader', isHeard: () => true },
  })
  const pool = { native: 10n ** 20n, token: 10n ** 14n }
  chain.mine([MINT, OTHER].map((mint) => ({ kind: 'open', mint, ...pool })))
  await until('its markets are read', () => driver.height() === chain.height(), SOON)
})
afterAll(async () => {
  await driver.stop()
  await world.close()
})

async function listen(instance: TestInstance | undefined, keys: readonly string[]) {
  const key = await world.aKey()
  const socket = await openTestSocket(instance?.socketUrl ?? '', { key: key.text })
  socket.send({ method: 'subscribe', keys })
  await socket.next('subscribed')
  return { socket, key }
}

const dataOf = (message: object): object => Object(Reflect.get(message, 'data'))
const told = ({ messages }: TestSocket, type: string, field: string) =>
  messages
    .filter((message) => message['type'] === type)
    .map((message) => Reflect.get(dataOf(message), field))

describe('what markets show', () => {
  test('reaches those who listen on every instance, by channel and by token, each thing once', async () => {
    const listeners = await Promise.all([
      listen(instances[0], ['trades', MINT]),
      listen(instances[1], ['trades', 'priceUpdates']),
      listen(instances[1], [OTHER]),
      listen(instances[1], ['payments', 'newTokens']),
    ])
    const [both, channels, other, none] = listeners.map(({ socket }) => socket)
    if (!both || !channels || !other || !none) throw new Error('four sockets')
    chain.mine([{ kind: 'buy', mint: MINT, amount: 10n ** 18n }])
    chain.mine([{ kind: 'sell', mint: OTHER, amount: 10n ** 12n }])
    await until('all of it', () => told(channels, 'priceUpdate', 'mint').includes(OTHER), SOON)
    await until('the other', () => told(other, 'priceUpdate', 'mint').length > 0, SOON)
    await until('both', () => told(both, 'trade', 'mint').length > 1, SOON)
    expect(told(both, 'trade', 'mint')).toEqual([MINT, OTHER])
    expect(new Set(told(both, 'priceUpdate', 'mint'))).toEqual(new Set([MINT]))
    expect(told(channels, 'trade', 'mint')).toEqual([MINT, OTHER])
    expect(told(other, 'trade', 'mint')).toEqual([OTHER])
    expect(told(none, 'trade', 'mint')).toEqual([])
    const trade = both.messages.find(({ type }) => type === 'trade')
    expect(trade).not.toHaveProperty('sequence')
    expect(trade).toMatchObject({
      channel: 'trades',
      data: { side: 'buy', nativeAmount: '1', sandbox: true, priceUsd: null, symbol: 'AAA' },
    })
    for (const socket of [both, channels, other, none]) socket.socket.terminate()
  })

  test('is streamed as server-sent events, too, without an id that nobody could go on after', async () => {
    const key = await world.aKey()
    const ending = new AbortController()
    const url = `${instances[0]?.url}/events/stream?keys=trades`
    const answer = await fetch(url, {
      headers: { authorization: `Bearer ${key.text}` },
      signal: ending.signal,
    })
    let text = ''
    const reading = (async () => {
      const decoder = new TextDecoder()
      for await (const chunk of answer.body ?? []) text += decoder.decode(chunk)
    })().catch(() => undefined)
    await until('it is open', () => text.includes('retry'), SOON)
    chain.mine([{ kind: 'buy', mint: MINT, amount: 10n ** 18n }])
    await until('the trade', () => text.includes('event: trade'), SOON)
    const block = text.split('\n\n').find((one) => one.includes('event: trade'))
    expect(block).not.toMatch(/^id:/m)
    ending.abort()
    await reading
  })

  test('is taken back when the chain leaves the block', async () => {
    const { socket } = await listen(instances[1], ['trades'])
    chain.mine([{ kind: 'buy', mint: MINT, amount: 10n ** 18n }])
    await until('it is told', () => told(socket, 'trade', 'mint').length === 1, SOON)
    chain.drop(1)
    chain.mine()
    chain.mine()
    await until('it is taken back', () => told(socket, 'trade', 'mint').length === 2, SOON)
    expect(told(socket, 'trade', 'retracted')).toEqual([undefined, true])
    const [once, again] = told(socket, 'trade', 'signature')
    expect(again).toBe(once)
    socket.socket.terminate()
  })

  test('cannot be asked for by an address that is neither a token nor one of the account', async () => {
    const key = await world.aKey()
    const socket = await openTestSocket(instances[0]?.socketUrl ?? '', { key: key.text })
    socket.send({ method: 'subscribe', keys: [MINT, QUIET] })
    expect(dataOf(await socket.next('error'))).toMatchObject({
      code: 'NOT_FOUND',
      details: { 'keys[1]': expect.any(String) },
    })
    socket.socket.terminate()
  })
})
