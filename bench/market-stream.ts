import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { Bench } from './bench.ts'
import { quantilesOf } from './figures.ts'

const TRADES = 100
const P99_GOAL_MILLISECONDS = 200
const LOOK_MILLISECONDS = 3
const PATIENCE_MILLISECONDS = 20_000

/** From the moment in which a node shows a trade's receipt until a socket is told of the trade, one trade at a time. */
export const marketStream: Bench = {
  name: 'market-stream',
  about: `a trade's block to a socket, ${TRADES} trades`,
  run: async ({ installation, note, defer }) => {
    const place = await installation()
    const [wallet = ''] = await place.newWallets('evm', 1)
    const [token] = place.tokens
    if (token === undefined) return []
    const told = new Map<string, number>()
    const socket = new WebSocket(`${place.baseUrl.replace('http', 'ws')}/api/data`, {
      headers: { authorization: `Bearer ${place.apiKey}` },
    })
    defer(async () => socket.terminate())
    const ready = Promise.withResolvers<void>()
    socket.on('message', (data) => {
      const { type, data: said } = JSON.parse(Buffer.isBuffer(data) ? data.toString() : '{}')
      if (type === 'subscribed') ready.resolve()
      if (type === 'trade') told.set(String(said.signature), performance.now())
    })
    socket.on('open', () => socket.send(JSON.stringify({ method: 'subscribe', keys: ['trades'] })))
    await ready.promise
    const taken: number[] = []
    for (let trade = 0; trade < TRADES; trade += 1) {
      const order = { publicKey: wallet, mint: token.mint, amount: '0.01', waitFor: 'submitted' }
      const { body } = await place.client.post('/trade/buy', order)
      const hash = String(body['signature'])
      const mined = await momentOf(async () => await isMined(place.rpcUrl, hash))
      await momentOf(async () => told.has(hash))
      taken.push(Math.max(0, (told.get(hash) ?? Number.NaN) - mined))
    }
    socket.close()
    const milliseconds = quantilesOf(taken)
    note(`a trade is told after ${milliseconds.p50.toFixed(0)} ms`)
    return [
      {
        bench: 'market-stream',
        what: 'a trade, from its block to a socket',
        milliseconds,
        goal: {
          text: `p99 < ${P99_GOAL_MILLISECONDS} ms`,
          isMet: milliseconds.p99 < P99_GOAL_MILLISECONDS,
        },
        more: { taken },
      },
    ]
  },
}

async function isMined(rpcUrl: string, hash: string): Promise<boolean> {
  const answer = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'eth_getTransactionReceipt', params: [hash] },
    }),
  })
  const said: unknown = await answer.json()
  return Reflect.get(Object(said), 'result') !== null
}

/** When it was first seen to be so. */
async function momentOf(look: () => Promise<boolean>): Promise<number> {
  const start = performance.now()
  while (!(await look())) {
    if (performance.now() - start > PATIENCE_MILLISECONDS) throw new Error('it did not happen')
    await delay(LOOK_MILLISECONDS)
  }
  return performance.now()
}
