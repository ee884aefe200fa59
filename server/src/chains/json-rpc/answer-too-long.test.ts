import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { limits } from '../../kernel/limits.ts'
import { Secret } from '../../kernel/secret.ts'
import { NodeFailure } from '../chain.ts'
import { AnswerTooLong } from './answer-too-long.ts'
import { openEndpoint } from './endpoint.ts'
import { openNodeHealth } from './node-health.ts'
import { postText } from './post-text.ts'
import { startTestNode } from './test-node.ts'
import type { Reply, Script, TestNode } from './test-node.ts'
import { openTransport } from './transport.ts'
import type { Read } from './transport.ts'

const BYTES_MAX = 10_000

const nodes: TestNode[] = []
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()))
})

/** A node that answers each call with as many characters as it names. */
async function start(script: Script = {}): Promise<TestNode> {
  const reply: Script['reply'] = (_, [size]) => ({ result: 'x'.repeat(Number(size)) })
  const node = await startTestNode({ reply, ...script })
  nodes.push(node)
  return node
}

function open(...started: readonly TestNode[]) {
  const clock = systemClock
  const endpoints = started.map(({ url }, index) =>
    openEndpoint({
      url: new Secret(url),
      name: `node ${index + 1}`,
      ...{ clock, callSeconds: 5, responseBytesMax: BYTES_MAX, post: postText },
    }),
  )
  const health = openNodeHealth({
    ...{ hosts: started.map(({ url }) => url), clock, limits, behindBlocksMax: 5n },
    onChange: () => undefined,
  })
  const transport = openTransport({ endpoints, onCall: () => undefined, clock, health, limits })
  const read = (characters: number, method = 'eth_getLogs') => {
    const asked: Read<number> = {
      ...{ method, params: [characters], isUnique: true },
      parse: (result) => String(result).length,
    }
    return transport.read(asked)
  }
  const states = () => health.states().map(({ state }) => state)
  return { transport, read, states }
}

describe('what is too long together', () => {
  test('is asked again in halves, of the same node', async () => {
    const node = await start()
    const { read } = open(node)
    const sizes = [4_000, 4_001, 4_002, 100, 9_000]
    expect(await Promise.all(sizes.map((size) => read(size)))).toEqual(sizes)
    expect(node.requests.map(({ length }) => length)).toEqual([5, 3, 2, 1, 2])
  })

  test('is taken apart from the longest on, and what nobody makes long stays in one request', async () => {
    const node = await start()
    const { read } = open(node)
    const asked: readonly (readonly [number, string])[] = [
      [10, 'eth_getBalance'],
      [6_000, 'eth_getBlockByHash'],
      [11, 'eth_getTransactionCount'],
      [3_000, 'eth_getTransactionReceipt'],
      [6_001, 'eth_getLogs'],
      [12, 'eth_call'],
    ]
    const read6 = asked.map(([size, method]) => read(size, method))
    expect(await Promise.all(read6)).toEqual(asked.map(([size]) => size))
    expect(node.requests.slice(1)).toEqual([
      ['eth_getBalance', 'eth_getTransactionCount', 'eth_getTransactionReceipt', 'eth_call'],
      ['eth_getBlockByHash', 'eth_getLogs'],
      ['eth_getBlockByHash'],
      ['eth_getLogs'],
    ])
  })

  test('is taken apart where a caller named an account that is long, too', async () => {
    const node = await start()
    const { read } = open(node)
    const long = [6_000, 6_001]
    const asked = [read(10, 'getBalance'), ...long.map((size) => read(size, 'getAccountInfo'))]
    expect(await Promise.all(asked)).toEqual([10, ...long])
    expect(node.requests.slice(1)).toEqual([
      ['getBalance'],
      ['getAccountInfo', 'getAccountInfo'],
      ['getAccountInfo'],
      ['getAccountInfo'],
    ])
  })

  test('is taken apart where the newest block is asked for with its transactions, which whoever fills it makes long', async () => {
    const reply: Script['reply'] = (_, [name, isWhole]) => ({
      result: 'x'.repeat(isWhole === true ? BYTES_MAX + 1 : String(name).length),
    })
    const { transport } = open(await start({ reply }))
    const block = (name: string, isWhole: boolean) =>
      transport.read<number>({
        ...{ method: 'eth_getBlockByNumber', params: [name, isWhole] },
        parse: (result) => String(result).length,
      })
    const [whole, final] = await Promise.allSettled([
      block('latest', true),
      block('finalized', false),
    ])
    expect(whole).toMatchObject({ status: 'rejected', reason: expect.any(AnswerTooLong) })
    expect(final).toEqual({ status: 'fulfilled', value: 'finalized'.length })
  })

  test('leaves what is short its answer where one part is too long, or is not answered', async () => {
    for (const odd of [12_000, 8_000]) {
      const reply: Script['reply'] = (_, [size]) =>
        size === 8_000 ? 'unanswered' : { result: 'x'.repeat(Number(size)) }
      const { read } = open(await start({ reply }))
      const reads = [9_000, 500, odd].map((size) => read(size))
      const [first, second, third] = await Promise.allSettled(reads)
      expect([first, second].map((each) => each?.status)).toEqual(['fulfilled', 'fulfilled'])
      expect(third).toMatchObject({ status: 'rejected', reason: expect.any(NodeFailure) })
    }
  })
})

describe('what is too long alone', () => {
  test('is told as that, is not asked twice of a lone node, and says nothing against it', async () => {
    const node = await start()
    const { read, states } = open(node)
    await expect(read(12_000)).rejects.toThrow(AnswerTooLong)
    expect(node.requests).toHaveLength(1)
    expect(states()).toEqual(['ok'])
  })

  test('is asked of the next node, and puts no node aside where all answer as long', async () => {
    const all = [await start(), await start()] as const
    const { read, states } = open(...all)
    await expect(read(12_000)).rejects.toThrow(AnswerTooLong)
    expect(all.map(({ requests }) => requests.length)).toEqual([1, 1])
    expect(states()).toEqual(['ok', 'ok'])
    expect(await read(100)).toBe(100)
  })
})

/** What a node says that bounds its own answers: to the calls behind the one by which a batch got too long, to a lone one, or to a batch as a whole. */
const BOUNDED_BYTES = 6_000
const bounded = async (error: { code: number; message: string }, isWhole = false) => {
  const node = await start({
    replyAll: (calls) => {
      let bytes = 0
      const answers = calls.map(({ params: [size] }): Reply => {
        if (bytes > BOUNDED_BYTES) return { error }
        bytes += Number(size)
        return { result: 'x'.repeat(Number(size)) }
      })
      return isWhole && bytes > BOUNDED_BYTES && calls.length > 1 ? { error } : answers
    },
  })
  return node
}

describe('what a node itself finds too long together', () => {
  test.each([
    [-32_003, 'response too large', false],
    [-32_011, 'The batch response was too large', true],
  ] as const)('is asked again in shorter parts: %i %s', async (code, message, isWhole) => {
    for (const count of [1, 2]) {
      const all = await Promise.all(
        Array.from({ length: count }, () => bounded({ code, message }, isWhole)),
      )
      const { read, states } = open(...all)
      const sizes = [4_000, 4_001, 4_002, 4_003, 4_004, 4_005, 4_006, 4_007]
      expect(await Promise.all(sizes.map((size) => read(size)))).toEqual(sizes)
      expect(states()).toEqual(all.map(() => 'ok'))
    }
  })

  test.each([
    [-32_008, 'Response is too big'],
    [-32_011, 'Response size limit exceeded. Max response size 10 bytes'],
  ])('and alone is told as that: %i %s', async (code, message) => {
    const { read } = open(await start({ reply: () => ({ error: { code, message } }) }))
    await expect(read(100)).rejects.toThrow(AnswerTooLong)
  })

  test.each([
    [-32_003, 'transaction rejected'],
    [-32_003, 'the request is too large'],
    [-32_005, 'too many requests'],
    // Whoever writes a contract writes its words.
    [3, 'execution reverted: response too large'],
    [-32_003, 'execution reverted: response too large'],
    [3, 'response too large'],
  ])('any other no is none of that: %i %s', async (code, message) => {
    const { read } = open(await start({ reply: () => ({ error: { code, message } }) }))
    const reason: unknown = await read(100).catch((error: unknown) => error)
    expect(reason).toBeInstanceOf(NodeFailure)
    expect(reason).not.toBeInstanceOf(AnswerTooLong)
  })
})

test('a node that answers everything at too great length is left for the next one at once', async () => {
  const endless = await start({ reply: () => ({ result: 'x'.repeat(BYTES_MAX + 1) }) })
  const sound = await start()
  const { read, states } = open(endless, sound)
  const sizes = Array.from({ length: 50 }, (_, index) => 10 + index)
  expect(await Promise.all(sizes.map((size) => read(size)))).toEqual(sizes)
  expect(endless.requests).toHaveLength(1)
  expect(states()).toEqual(['aside', 'ok'])
})
