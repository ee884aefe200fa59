import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import { startPlainNode } from '../../../../e2e/actors/plain-node.ts'
import type { PlainNode } from '../../../../e2e/actors/plain-node.ts'
import type { Clock } from '../../kernel/clock.ts'
import { systemClock } from '../../kernel/clock.ts'
import { limits } from '../../kernel/limits.ts'
import { openLog } from '../../kernel/log.ts'
import { until } from '../../kernel/until.ts'
import type { Address, Chain } from '../chain.ts'
import { startTestProxy } from '../json-rpc/test-proxy.ts'
import type { TestProxy } from '../json-rpc/test-proxy.ts'
import { addressFromBytes } from './account.ts'
import { connectEvm } from './connect.ts'
import { addressOfPrivateKey, signDigest } from './secp256k1.ts'
import { NATIVE, testNetwork } from './test-network.ts'

const ETHER = 10n ** 18n
const KEY = randomBytes(32)
const SENDER = addressOfPrivateKey(KEY)
const CHAIN_ID = 84_532

let node: PlainNode
let proxies: readonly TestProxy[]
let first: TestProxy
let second: TestProxy
let chain: Chain
/** Seconds that the test has let pass beside the clock's own. */
let passed = 0
const clock: Clock = {
  ...systemClock,
  nowMilliseconds: () => systemClock.nowMilliseconds() + passed * 1000,
}
const pass = (seconds: number) => {
  passed += seconds
}

beforeAll(async () => {
  node = await startPlainNode(CHAIN_ID)
  await node.fund(SENDER, 100n * ETHER)
  proxies = await Promise.all([startTestProxy(node.rpcUrl), startTestProxy(node.rpcUrl)])
})
afterAll(async () => {
  await Promise.all(proxies.map((proxy) => proxy.stop()))
  await node.stop()
})
beforeEach(() => {
  const [a, b] = proxies
  if (a === undefined || b === undefined) throw new Error('there are two')
  ;[first, second] = [a, b]
  for (const proxy of proxies) proxy.set('passes')
  // As long as the one test of a hanging node waits for it, and more than the other node ever takes.
  chain = connect(5)
})

const connect = (callSeconds: number): Chain =>
  connectEvm({
    config: testNetwork([`${first.url}/canary-key-1`, `${second.url}/canary-key-2`], {
      sandbox: false,
    }),
    log: openLog('silent'),
    clock,
    callSeconds,
  })

const statesOf = () => chain.nodes?.().map(({ state }) => state)
const isState = (...states: readonly string[]) => statesOf()?.join() === states.join()
const heightsKnown = () =>
  until('both were looked at', () => chain.nodes?.().every(({ height }) => height !== null), {
    seconds: 30,
  })
const readsOf = (proxy: TestProxy) =>
  proxy.requests.filter((methods) => methods.includes('eth_getBlockByNumber')).length

describe('reads', () => {
  test('go to the first node alone as long as it does well', async () => {
    await chain.head()
    await heightsKnown()
    await chain.head()
    expect(readsOf(second)).toBe(0)
    expect(statesOf()).toEqual(['ok', 'ok'])
    expect(JSON.stringify(chain.nodes?.().map(({ host }) => host))).not.toContain('canary')
  })

  test.each(['hangs', 'refuses', 'breaks'] as const)(
    'go on at the second node when the first one %s, at once from then on, and come back later',
    async (mode) => {
      await chain.head()
      await heightsKnown()
      first.set(mode)
      const before = readsOf(first)
      expect((await chain.head()).height).toBeGreaterThan(0n)
      expect(statesOf()).toEqual(['aside', 'ok'])
      await chain.head()
      expect(readsOf(first)).toBe(before + 1)

      first.set('passes')
      await chain.head()
      expect(readsOf(first)).toBe(before + 1)
      pass(limits.nodeAsideSeconds)
      await chain.head()
      await until('the first is back', () => isState('ok', 'ok'), { seconds: 30 })
      await chain.head()
      expect(readsOf(first)).toBe(before + 2)
    },
  )

  test('are not taken from a node whose chain ends too far below, until it has caught up', async () => {
    await node.client.call('anvil_mine', ['0x20'])
    const { height } = await chain.head()
    const low = height - BigInt(limits.nodeBehindBlocksMax + limits.nodeBehindSecondsMax)
    first.set(low)
    pass(limits.nodeLookSeconds)
    await chain.head()
    await until('the first is found out', () => isState('behind', 'ok'), { seconds: 30 })
    expect((await chain.head()).height).toBeGreaterThanOrEqual(height)
    expect(chain.nodes?.()[0]?.height).toBe(low)

    first.set('passes')
    pass(limits.nodeLookSeconds)
    await chain.head()
    await until('the first has caught up', () => isState('ok', 'ok'), { seconds: 30 })
  })

  test('fail when no node is left, and work again when one is back', async () => {
    for (const proxy of proxies) proxy.set('refuses')
    await expect(chain.head()).rejects.toThrow('HTTP 503')
    expect(statesOf()).toEqual(['aside', 'aside'])
    second.set('passes')
    expect((await chain.head()).height).toBeGreaterThan(0n)
    expect(statesOf()).toEqual(['aside', 'ok'])
  })
})

test('bytes go to every node, and nobody waits for the one that hangs', async () => {
  // Longer than a test may take: whoever waits for it does not pass.
  chain = connect(3_600)
  const recipient: Address = addressFromBytes(randomBytes(20))
  const drafted = await chain.draft({
    sender: SENDER,
    recipient,
    asset: NATIVE,
    amount: baseUnits(ETHER),
    commitment: new Uint8Array(32),
  })
  if (!drafted.ok) throw new Error(drafted.refusal)
  const { terms, laneLatest } = drafted.draft
  const { raw } = await chain.sign(terms, laneLatest, {
    address: SENDER,
    sign: async (digest) => signDigest(digest, KEY),
  })
  first.set('hangs')
  expect(await chain.broadcast([raw])).toEqual([{ kind: 'accepted' }])
  expect(first.requests.flat()).toContain('eth_sendRawTransaction')
  await until('it is paid', async () => (await node.balanceOf(recipient)) === ETHER, {
    seconds: 30,
  })
  // Both had it: the second one knows.
  first.set('passes')
  expect((await chain.broadcast([raw]))[0]?.kind).toMatch(/known|nonce_too_low/)
})
