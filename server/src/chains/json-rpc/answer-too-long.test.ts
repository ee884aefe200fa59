import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { limits } from '../../kernel/limits.ts'
import { Secret } from '../../kernel/secret.ts'
import { NodeFailure } from '../chain.ts'
import { AnswerTooLong, inShorterAnswers } from './answer-too-long.ts'
import { openEndpoint } from './endpoint.ts'
import { openNodeHealth } from './node-health.ts'
import { postText } from './post-text.ts'
import { startTestNode } from './test-node.ts'
import type { Script, TestNode } from './test-node.ts'
import { openTransport } from './transport.ts'
import type { Read } from './transport.ts'

const BYTES_MAX = 10_000

const nodes: TestNode[] = []
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()))
})

/** A node that answers each method with as many characters as it names. */
async function start(script: Script = {}): Promise<TestNode> {
  const reply: Script['reply'] = (method) => ({ result: 'x'.repeat(Number(method)) })
  const node = await startTestNode({ reply, ...script })
  nodes.push(node)
  return node
}

function open(...started: readonly TestNode[]) {
  const clock = systemClock
  const endpoints = started.map(({ url }, index) =>
    inShorterAnswers(
      openEndpoint({
        url: new Secret(url),
        name: `node ${index + 1}`,
        ...{ clock, callSeconds: 5, responseBytesMax: BYTES_MAX, post: postText },
      }),
    ),
  )
  const health = openNodeHealth({
    ...{ hosts: started.map(({ url }) => url), clock, limits, behindBlocksMax: 5n },
    onChange: () => undefined,
  })
  const transport = openTransport({ endpoints, onCall: () => undefined, clock, health, limits })
  const read = (characters: number) => {
    const asked: Read<number> = {
      ...{ method: `${characters}`, params: [], isUnique: true },
      parse: (result) => String(result).length,
    }
    return transport.read(asked)
  }
  const states = () => health.states().map(({ state }) => state)
  return { read, states }
}

describe('what is too long together', () => {
  test('is asked again in halves, of the same node', async () => {
    const node = await start()
    const { read } = open(node)
    const sizes = [4_000, 4_001, 4_002, 100, 9_000]
    expect(await Promise.all(sizes.map(read))).toEqual(sizes)
    expect(node.requests.map(({ length }) => length)).toEqual([5, 3, 2, 1, 2])
  })

  test('leaves what is short its answer where one part is too long, or is not answered', async () => {
    for (const odd of [12_000, 8_000]) {
      const reply: Script['reply'] = (method) =>
        method === '8000' ? 'unanswered' : { result: 'x'.repeat(Number(method)) }
      const { read } = open(await start({ reply }))
      const reads = [9_000, 500, odd].map(read)
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
