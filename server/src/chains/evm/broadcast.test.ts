import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import type { Chain, Verdict } from '../chain.ts'
import { jointVerdict } from '../json-rpc/broadcast.ts'
import { connectEvm } from './connect.ts'
import { startTestNode } from '../json-rpc/test-node.ts'
import type { Script, TestNode } from '../json-rpc/test-node.ts'
import { hashOf } from './sign.ts'
import { testNetwork } from './test-network.ts'

const VERDICTS: readonly Verdict[] = [
  { kind: 'accepted' },
  { kind: 'known' },
  { kind: 'nonce_too_low' },
  { kind: 'nonce_too_high' },
  { kind: 'replacement_underpriced' },
  { kind: 'unknown', reason: 'timeout' },
  { kind: 'rejected', reason: 'insufficient_funds' },
  { kind: 'rejected', reason: 'invalid' },
]

describe('the verdict of several nodes', () => {
  const verdicts = fc.array(fc.constantFrom(...VERDICTS), { minLength: 1, maxLength: 4 })

  test('is a rejection only when every node rejects', () => {
    fc.assert(
      fc.property(verdicts, (each) => {
        const all = each.every(({ kind }) => kind === 'rejected')
        expect(jointVerdict(each).kind === 'rejected').toBe(all)
      }),
    )
  })

  test('is that a node has the bytes as soon as one has them', () => {
    fc.assert(
      fc.property(verdicts, (each) => {
        const kinds = each.map(({ kind }) => kind)
        const has = kinds.includes('accepted') || kinds.includes('known')
        expect(['accepted', 'known'].includes(jointVerdict(each).kind)).toBe(has)
      }),
    )
  })

  test('is unknown when one is unknown and nobody knows the place better', () => {
    const unknown: Verdict = { kind: 'unknown', reason: 'timeout' }
    expect(jointVerdict([{ kind: 'rejected', reason: 'invalid' }, unknown])).toEqual(unknown)
    expect(jointVerdict([unknown, { kind: 'nonce_too_low' }])).toEqual({ kind: 'nonce_too_low' })
    expect(jointVerdict([])).toMatchObject({ kind: 'unknown' })
  })
})

describe('a broadcast', () => {
  const nodes: TestNode[] = []
  afterEach(async () => {
    await Promise.all(nodes.splice(0).map((node) => node.stop()))
  })

  async function chainOf(...scripts: readonly Script[]): Promise<Chain> {
    const started = await Promise.all(scripts.map(startTestNode))
    nodes.push(...started)
    const config = testNetwork(started.map(({ url }) => url))
    return connectEvm({ config, log: openLog('silent'), clock: systemClock })
  }

  const raws = [Uint8Array.of(2, 1), Uint8Array.of(2, 2)]
  const hashes = new Map(raws.map((raw) => [`0x${Buffer.from(raw).toString('hex')}`, hashOf(raw)]))
  const accepts: Script = { reply: (_, [raw]) => ({ result: hashes.get(String(raw)) }) }
  const refuses: Script = {
    reply: () => ({ error: { code: -32000, message: 'intrinsic gas too low' } }),
  }
  const fails: Script = { accident: (request) => (request.socket.destroy(), true) }

  test('is accepted when one node takes the bytes and the other fails', async () => {
    const chain = await chainOf(fails, accepts)
    expect(await chain.broadcast(raws)).toEqual([{ kind: 'accepted' }, { kind: 'accepted' }])
  })

  test('is rejected when both refuse, and unknown when one of them fails', async () => {
    const rejected = { kind: 'rejected', reason: 'invalid' }
    expect(await (await chainOf(refuses, refuses)).broadcast(raws)).toEqual([rejected, rejected])
    expect(await (await chainOf(refuses, fails)).broadcast(raws)).toMatchObject([
      { kind: 'unknown' },
      { kind: 'unknown' },
    ])
  })

  test.each<[string, unknown]>([
    ['another hash', `0x${'0'.repeat(64)}`],
    ['no hash', true],
    ['nothing', null],
  ])('is unknown when the node answers %s', async (_, result) => {
    const chain = await chainOf({ reply: () => ({ result }) })
    expect(await chain.broadcast(raws)).toMatchObject([{ kind: 'unknown' }, { kind: 'unknown' }])
  })

  test('of nothing asks nobody', async () => {
    const chain = await chainOf(accepts)
    expect(await chain.broadcast([])).toEqual([])
    expect(nodes[0]?.requests).toEqual([])
  })
})
