import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import type { Address, TransactionHash } from '../chain.ts'
import { postText } from '../json-rpc/post-text.ts'
import { connectEvm } from './connect.ts'
import { startTestChain } from './test-chain.ts'
import type { TestChain } from './test-chain.ts'
import { testNetwork } from './test-network.ts'

let t: TestChain
beforeAll(async () => {
  t = await startTestChain()
}, 240_000)
afterAll(() => t.sandbox.stop())

const FREE = 'Batch of more than 3 requests are not allowed on free plan'

/** The same chain behind a node that takes so few calls in one request, and how many each request held. */
function behind(callsMax: number) {
  const sizes: number[] = []
  const chain = connectEvm({
    config: testNetwork([t.sandbox.rpcUrl]),
    ...{ log: openLog('silent'), clock: systemClock },
    post: (posting) => {
      const calls: unknown = JSON.parse(posting.body)
      const count = Array.isArray(calls) ? calls.length : 1
      sizes.push(count)
      if (count <= callsMax) return postText(posting)
      const text = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: 31, message: FREE } })
      return { answer: Promise.resolve({ status: 500, text }), abandon: () => undefined }
    },
  })
  return { chain, sizes }
}

test('a network is read by a node that takes three calls in one request, what is believed by its height included', async () => {
  const { address } = await t.wallet(['native', '1'])
  const { chain, sizes } = behind(3)
  const { height } = await chain.head()
  const count = Number(height) + 1
  expect(count).toBeGreaterThan(3)
  const blocks = await chain.blocks(0n, count)
  expect(blocks).toEqual(await t.chain.blocks(0n, count))
  const ours = async (asked: readonly Address[]) =>
    new Set(asked.filter((each) => each === address))
  expect(await chain.arrivals(blocks, ours)).toMatchObject([{ asset: 'native', to: address }])
  const unknown = `0x${'5e'.repeat(32)}` as TransactionHash
  expect(await chain.outcomes([unknown])).toEqual([{ state: 'absent' }])
  expect(await chain.lanePosition(address)).toMatchObject({ latest: 0n, finalized: 0n })
  expect(sizes.filter((size) => size > 3).length).toBeLessThan(5)
})
