import { expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import { HEIGHT, onlyUpToDate } from '../evm/up-to-date.ts'
import { testNetwork } from '../evm/test-network.ts'
import { HEIGHT as SLOT, onlyUpToDate as onlyUpToSlot } from '../solana/up-to-date.ts'
import { AnswerTooLong } from './answer-too-long.ts'
import { openNodes } from './open-nodes.ts'
import type { NodeKind } from './open-nodes.ts'
import type { PostText } from './post-text.ts'

const FINAL = 10n
const BEHIND = 5n

const FAMILIES = [
  {
    family: 'evm',
    kind: { guard: (each) => onlyUpToDate(() => FINAL, each), height: HEIGHT } satisfies NodeKind,
    ...{
      heightMethod: 'eth_blockNumber',
      lookUp: 'eth_getTransactionReceipt',
      whole: 'eth_getBlockByHash',
    },
    heightOf: (height: bigint) => `0x${height.toString(16)}`,
  },
  {
    family: 'solana',
    kind: { guard: (each) => onlyUpToSlot(() => FINAL, each), height: SLOT } satisfies NodeKind,
    ...{ heightMethod: 'getSlot', lookUp: 'getTransaction', whole: 'getBlock' },
    heightOf: Number,
  },
] as const

/** Behind one address: each request is answered by the next of the machines, by the last one from there on. The first one finds more than two calls too long. */
function machines(heights: readonly bigint[], family: (typeof FAMILIES)[number]): PostText {
  let requests = 0
  return ({ body }) => {
    const asked: unknown = JSON.parse(body)
    const items = (Array.isArray(asked) ? asked : [asked]) as { id: number; method: string }[]
    const height = heights[Math.min(requests, heights.length - 1)] ?? 0n
    requests += 1
    const answers = items.map(({ id, method }) => {
      const result = method === family.heightMethod ? family.heightOf(height) : null
      return { jsonrpc: '2.0', id, result }
    })
    const text = JSON.stringify(Array.isArray(asked) ? answers : answers[0])
    const answer =
      items.length > 2
        ? Promise.reject(new AnswerTooLong('too long'))
        : Promise.resolve({ status: 200, text })
    return { answer, abandon: () => undefined }
  }
}

test.each(
  FAMILIES.flatMap((family) =>
    [
      [FINAL, BEHIND, FINAL, BEHIND],
      [FINAL, FINAL, BEHIND],
    ].map((heights) => [family.family, heights.join(), family, heights] as const),
  ),
)(
  'that there is no such transaction is not believed from a machine behind, whose answer came in a part of its own: %s %s',
  async (_, __, family, heights) => {
    for (const calls of [
      [family.lookUp, family.whole],
      [family.whole, family.lookUp],
    ]) {
      const seen: (readonly [string, bigint])[] = []
      const { transport } = openNodes(
        {
          config: testNetwork(['http://127.0.0.1:1']),
          ...{ log: openLog('silent'), clock: systemClock, post: told(machines(heights, family)) },
        },
        family.kind,
      )
      const results = await Promise.allSettled(
        calls.map((method) =>
          transport.read({ method, params: [], parse: (result) => result, isUnique: true }),
        ),
      )
      const at = calls.indexOf(family.lookUp)
      const wasBehind = seen.findLast(([method]) => method === family.lookUp)?.[1] === BEHIND
      expect(results[at]?.status).toBe(wasBehind ? 'rejected' : 'fulfilled')

      function told(post: PostText): PostText {
        let requests = 0
        return (posting) => {
          const height = heights[Math.min(requests, heights.length - 1)] ?? 0n
          requests += 1
          if (posting.body.includes(`"${family.lookUp}"`)) seen.push([family.lookUp, height])
          return post(posting)
        }
      }
    }
  },
)

test.each(FAMILIES)(
  'nor from one that reached that height between the look-up and the question for it: $family',
  async (family) => {
    let height = BEHIND
    let lookedAt = 0n
    const post: PostText = ({ body }) => {
      const items = JSON.parse(body) as { id: number; method: string }[]
      // One call after the other, and a block behind the first.
      const answers = items.map(({ id, method }) => {
        if (method === family.lookUp) lookedAt = height
        const result = method === family.heightMethod ? family.heightOf(height) : null
        height = FINAL
        return { jsonrpc: '2.0', id, result }
      })
      const answer = Promise.resolve({ status: 200, text: JSON.stringify(answers) })
      return { answer, abandon: () => undefined }
    }
    const config = testNetwork(['http://127.0.0.1:1'])
    const log = openLog('silent')
    const { transport } = openNodes({ config, log, clock: systemClock, post }, family.kind)
    const parse = (result: unknown) => result
    expect(await transport.read({ method: family.lookUp, params: [], parse })).toBeNull()
    expect(lookedAt).toBe(FINAL)
  },
)
