import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { limits } from '../../kernel/limits.ts'
import { Secret } from '../../kernel/secret.ts'
import { until } from '../../kernel/until.ts'
import { NodeFailure } from '../chain.ts'
import { quantityFrom } from '../evm/answer.ts'
import { openEndpoint } from './endpoint.ts'
import { openNodeHealth } from './node-health.ts'
import { startTestNode } from './test-node.ts'
import type { Script, TestNode } from './test-node.ts'
import { openTransport } from './transport.ts'
import type { Read, Transport, TransportOptions } from './transport.ts'
import { postText } from './post-text.ts'

const nodes: TestNode[] = []
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()))
})

async function start(script: Script): Promise<TestNode> {
  const node = await startTestNode(script)
  nodes.push(node)
  return node
}

function transportTo(
  urls: readonly string[],
  own: Partial<TransportOptions['limits']> = {},
): Transport {
  const [clock, all] = [systemClock, { ...limits, ...own }]
  const bounds = { callSeconds: 5, responseBytesMax: 100_000 }
  const endpoints = urls.map((url, index) =>
    openEndpoint({
      url: new Secret(url),
      name: `node ${index + 1}`,
      clock,
      ...bounds,
      post: postText,
    }),
  )
  const health = openNodeHealth({
    ...{ hosts: urls, clock, limits: all, behindBlocksMax: 5n },
    onChange: () => undefined,
  })
  return openTransport({ endpoints, onCall: () => undefined, clock, health, limits: all })
}

const result = (value: unknown): { result: unknown } => ({ result: value })
const ask = (method: string): Read<bigint> => ({
  ...{ method, params: [] },
  parse: (value) => quantityFrom(value, method),
})

describe('reads apart', () => {
  const apart = (method: string): Read<bigint> => ({ ...ask(method), apart: true })

  test('go alone, and beside reads of the same tick', async () => {
    const node = await start({ reply: () => result('0x1') })
    const transport = transportTo([node.url])
    const all = [apart('huge'), ask('a'), apart('huge'), ask('b')]
    expect(await Promise.all(all.map((read) => transport.read(read)))).toEqual([1n, 1n, 1n, 1n])
    expect(node.requests.toSorted()).toEqual([['a', 'b'], ['huge'], ['huge']])
  })

  test('hold up nobody else, and only so many of them run and wait', async () => {
    const open = Promise.withResolvers<void>()
    let isHeld = true
    const node = await start({
      reply: () => result('0x1'),
      hold: () => (isHeld ? open.promise : Promise.resolve()),
    })
    const own = { nodeApartMax: 2, nodeApartWaitingMax: 1, nodeRequestsMax: 1 }
    const transport = transportTo([node.url], own)
    const held = ['x', 'y', 'z'].map((method) => transport.read(apart(method)))
    await until('two of them run', () => node.requests.length === 2, { seconds: 30 })
    isHeld = false
    await expect(transport.read(apart('w'))).rejects.toThrow('too many reads apart')
    expect(await transport.read(ask('a'))).toBe(1n)
    expect(node.requests.flat()).not.toContain('z')
    open.resolve()
    expect(await Promise.all(held)).toEqual([1n, 1n, 1n])
    expect(await transport.read(apart('w'))).toBe(1n)
  })

  test('say nothing of how well a node does, and fail nobody but themselves', async () => {
    const large = { ...result('0x1'), padding: '0'.repeat(200_000) }
    const script: Script = { reply: (method) => (method === 'huge' ? large : result('0x1')) }
    const [first, second] = [await start(script), await start({ reply: () => result('0x2') })]
    const transport = transportTo([first.url, second.url])
    const both = [transport.read(apart('huge')), transport.read(ask('a'))]
    expect(await Promise.all(both)).toEqual([2n, 1n])
    expect(await transport.read(ask('b'))).toBe(1n)
    const lone = transportTo([first.url])
    const before = first.requests.length
    await expect(lone.read(apart('huge'))).rejects.toThrow(NodeFailure)
    expect(first.requests).toHaveLength(before + 1)
  })
})
