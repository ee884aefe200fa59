import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { limits } from '../../kernel/limits.ts'
import { Secret } from '../../kernel/secret.ts'
import { NodeFailure } from '../chain.ts'
import { BatchRefused, isAboutBatch } from './batch-refused.ts'
import { openEndpoint } from './endpoint.ts'
import type { NodeCall } from './messages.ts'
import { postText } from './post-text.ts'
import { inSmallerBatches } from './smaller-batches.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

interface Call {
  readonly id: number
  readonly method: string
}
/** How a node says that a batch is too large for it: status and body. */
type Refusal = (calls: readonly Call[]) => readonly [status: number, body: unknown]

const failure = (code: number, message: string) => ({ jsonrpc: '2.0', error: { code, message } })
const FREE = 'Batch of more than 3 requests are not allowed on free plan'
const NODES: readonly [string, number, Refusal][] = [
  [
    'the proxy of a roll-up',
    10,
    () => [200, { ...failure(-32_014, 'too many RPC calls in batch request'), id: null }],
  ],
  ['a provider without a plan', 3, () => [500, { ...failure(31, FREE), id: null }]],
  [
    'one that says it of each call',
    3,
    (calls) => [500, calls.map(({ id }) => ({ ...failure(31, FREE), id }))],
  ],
  ['Geth', 20, ([first]) => [200, [{ ...failure(-32_600, 'batch too large'), id: first?.id }]]],
  ['Erigon', 50, () => [200, { ...failure(-32_000, 'batch limit 50 exceeded'), id: null }]],
  [
    'one that takes no batch at all',
    1,
    () => [
      200,
      { ...failure(-32_005, 'Batched requests are not supported by this server'), id: null },
    ],
  ],
]

async function open(callsMax: number, refuse: Refusal, now = { milliseconds: 0 }) {
  const sizes: number[] = []
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(pieces).toString('utf8')) as Call | Call[]
      const calls = [body].flat()
      sizes.push(calls.length)
      const answers = calls.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: method }))
      const [status, answer] =
        calls.length > callsMax ? refuse(calls) : [200, Array.isArray(body) ? answers : answers[0]]
      response.writeHead(status).end(JSON.stringify(answer))
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const told: number[] = []
  const endpoint = inSmallerBatches(
    openEndpoint({
      ...{ url: new Secret(`http://127.0.0.1:${port}/`), name: 'node 1', clock: systemClock },
      ...{ callSeconds: 5, responseBytesMax: 100_000, post: postText },
    }),
    { nowMilliseconds: () => now.milliseconds },
    (calls) => told.push(calls),
  )
  return { endpoint, sizes, told, now }
}

const callsOf = (count: number): readonly NodeCall[] =>
  Array.from({ length: count }, (_, index) => ({ method: `m${index}`, params: [] }))
const answersTo = (calls: readonly NodeCall[]) =>
  calls.map(({ method }) => ({ ok: true, result: method }))

describe('a node that takes few calls in one request is asked in parts', () => {
  test.each(NODES)('%s', async (_, callsMax, refuse) => {
    const { endpoint, sizes, told } = await open(callsMax, refuse)
    const calls = callsOf(100)
    expect(await endpoint.post(calls)).toEqual(answersTo(calls))
    const refused = sizes.filter((size) => size > callsMax)
    expect(refused.length).toBeLessThan(8)
    expect(told.at(-1)).toBeLessThanOrEqual(callsMax)
    // What was learned once is not refused again.
    sizes.length = 0
    expect(await endpoint.post(calls)).toEqual(answersTo(calls))
    expect(Math.max(...sizes)).toBeLessThanOrEqual(callsMax)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(100)
  })

  test('and whole again after an hour', async () => {
    const { endpoint, sizes, now } = await open(3, () => [500, { ...failure(31, FREE), id: null }])
    await endpoint.post(callsOf(40))
    sizes.length = 0
    now.milliseconds += limits.nodeBatchPartsSeconds * 1000 + 1
    await endpoint.post(callsOf(40))
    expect(sizes[0]).toBe(40)
  })
})

test('one call that is refused in such words is refused, and another failure of a batch is not about its size', async () => {
  const alone = await open(0, () => [500, { ...failure(31, FREE), id: null }])
  await expect(alone.endpoint.post(callsOf(1))).rejects.toThrow(NodeFailure)
  expect(alone.sizes).toEqual([1])
  const limited = await open(0, () => [429, { ...failure(-32_005, 'too many requests'), id: null }])
  const refusal = limited.endpoint.post(callsOf(8))
  await expect(refusal).rejects.toThrow('HTTP 429')
  await expect(refusal).rejects.not.toBeInstanceOf(BatchRefused)
  expect(limited.sizes).toEqual([8])
})

test('what a roll-up calls a batch is something else', () => {
  expect(isAboutBatch('L1 batch 17 is not known')).toBe(false)
  expect(isAboutBatch('the batcher is late')).toBe(false)
})

test.each([
  [3, 'execution reverted: batch too large'],
  [-32_000, 'Execution reverted (batch limit exceeded)'],
  [-32_015, 'VM execution error. batch size exceeded'],
])('what contracts say that revert (%i) is no refusal of the batch', async (code, message) => {
  const { endpoint, sizes, told } = await open(0, (calls) => [
    200,
    calls.map(({ id }) => ({ ...failure(code, message), id })),
  ])
  const reverted = { ok: false, error: { code, message } }
  expect(await endpoint.post(callsOf(2))).toEqual([reverted, reverted])
  expect(sizes).toEqual([2])
  expect(told).toEqual([])
})

test('a part that fails leaves the others what they have', async () => {
  let refused = 0
  const asked: number[] = []
  const endpoint = inSmallerBatches(
    {
      post: async (calls) => {
        asked.push(calls.length)
        if (calls.length > 2) throw new BatchRefused('batch too large')
        if ((refused += 1) === 2) throw new NodeFailure('it is down')
        return calls.map(({ method }) => ({ ok: true, result: method }))
      },
    },
    { nowMilliseconds: () => 0 },
  )
  const answers = await endpoint.post(callsOf(8))
  expect(answers.filter((answer) => answer instanceof NodeFailure)).toHaveLength(2)
  expect(answers).toHaveLength(8)
  expect(asked).toEqual([8, 4, 2, 2, 2, 2])
})
