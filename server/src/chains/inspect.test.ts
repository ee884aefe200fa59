import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import type { Clock } from '../kernel/clock.ts'
import { openLog } from '../kernel/log.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import { Secret } from '../kernel/secret.ts'
import { connectEvm } from './evm/connect.ts'
import { testNetwork } from './evm/test-network.ts'
import { inspectNodes } from './inspect.ts'
import { shownHost } from './json-rpc/node-url.ts'
import { startTestNode } from './json-rpc/test-node.ts'
import type { Reply, Script, TestNode } from './json-rpc/test-node.ts'
import { testNetwork as solanaNetwork } from './solana/test-network.ts'

const nodes: TestNode[] = []
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()))
})
async function start(...scripts: readonly Script[]): Promise<readonly string[]> {
  const started = await Promise.all(scripts.map(startTestNode))
  nodes.push(...started)
  return started.map(({ url }) => url)
}

const UNKNOWN: Reply = { error: { code: -32601, message: 'Method not found' } }
const real: Script = { reply: () => UNKNOWN }
const sandbox: Script = { reply: () => ({ result: { instance: 'abc' } }) }
const MAIN = { testnet: false, sandbox: false } as const

const findings = async (config: NetworkConfig, clock: Clock = systemClock) =>
  (await inspectNodes({ config, clock, callSeconds: 5 })).map(({ finding }) => finding)

describe('a node at the start of production', () => {
  test('is right when it is on the chain and nobody plays it', async () => {
    const says = (software: string): Script => ({
      reply: (method) => (method === 'web3_clientVersion' ? { result: software } : UNKNOWN),
    })
    const urls = await start(
      real,
      says('Geth/v1.17.0'),
      says('anvil/v1.7.1'),
      says('HardhatNetwork'),
    )
    const reports = await findings(testNetwork(urls, MAIN))
    expect(reports.map(({ kind }) => kind)).toEqual(['right', 'right', 'wrong', 'wrong'])
    const asTest = await findings(testNetwork(urls, { testnet: true }))
    expect(new Set(asTest.map(({ kind }) => kind))).toEqual(new Set(['right']))
  })

  test('is wrong on another chain, in a sandbox, and with another first block', async () => {
    const hash = `0x${'ab'.repeat(32)}`
    const shows = (first: string): Script => ({
      reply: (method) =>
        method === 'eth_getBlockByNumber' ? { result: { hash: first } } : UNKNOWN,
    })
    const urls = await start({ ...real, chainId: 1n }, sandbox)
    expect(await findings(testNetwork(urls, MAIN))).toEqual([
      { kind: 'wrong', reason: 'it is on chain 1, not on chain 84532' },
      { kind: 'wrong', reason: 'it is a Florin sandbox, whose money is worth nothing' },
    ])
    const others = await start(shows(hash), shows(`0x${'cd'.repeat(32)}`))
    const [right, wrong] = await findings(testNetwork(others, { ...MAIN, genesisHash: hash }))
    expect(right).toEqual({ kind: 'right' })
    expect(wrong).toMatchObject({
      kind: 'wrong',
      reason: expect.stringMatching(/^its first block is 0xcd/),
    })
  })

  test('is unfit where it shows no Multicall3, and right where it does not say', async () => {
    const code = (reply: Reply): Script => ({
      reply: (method) => (method === 'eth_getCode' ? reply : UNKNOWN),
    })
    const urls = await start(code({ result: '0x' }), code({ result: '0x6080' }), code(UNKNOWN))
    const [none, there, unsaid] = await findings(testNetwork(urls, MAIN))
    const reason = expect.stringContaining('no Multicall3 at 0xcA11')
    expect(none).toEqual({ kind: 'unfit', reason })
    expect([there, unsaid]).toEqual([{ kind: 'right' }, { kind: 'right' }])
  })

  test('of Solana is known by its genesis hash', async () => {
    const genesis = (text: string): Script => ({
      reply: (method) => (method === 'getGenesisHash' ? { result: text } : UNKNOWN),
    })
    const urls = await start(
      genesis('EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG'),
      genesis('5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'),
    )
    const kinds = (await findings(solanaNetwork(urls, MAIN))).map(({ kind }) => kind)
    expect(kinds).toEqual(['right', 'wrong'])
  })

  test('is only silent when it is away, too slow, or does not speak our language', async () => {
    const urls = await start(
      { accident: (_, response) => (response.writeHead(403).end('no'), true) },
      { accident: (_, response) => (response.end('<html>'), true) },
    )
    const config = testNetwork([...urls, 'http://127.0.0.1:1/canary-key'], MAIN)
    const silent = await findings(config)
    expect(silent.map(({ kind }) => kind)).toEqual(['silent', 'silent', 'silent'])
    expect(JSON.stringify(silent)).not.toContain('canary')
    const impatient: Clock = { nowMilliseconds: () => 0, sleep: async () => undefined }
    const [slow] = await findings(
      testNetwork(await start({ accident: () => true }), MAIN),
      impatient,
    )
    expect(slow).toEqual({ kind: 'silent', reason: 'node 1: no answer in time' })
  })

  test('may refuse a whole request for the question whether it is a sandbox', async () => {
    let requests = 0
    const strict: Script = {
      ...real,
      accident: (_, response) => {
        requests += 1
        if (requests > 1) response.writeHead(400).end('unknown method')
        return requests > 1
      },
    }
    expect(await findings(testNetwork(await start(strict), MAIN))).toEqual([{ kind: 'right' }])
  })
})

describe('a sandbox behind a network that is none', () => {
  test('is never read, whenever it appears', async () => {
    let isSandbox = false
    const [url = ''] = await start({
      reply: (method) =>
        method === 'florin_sandbox'
          ? isSandbox
            ? { result: { instance: 'abc' } }
            : UNKNOWN
          : { result: isSandbox ? 'no quantity' : '0x1' },
    })
    const open = (config: NetworkConfig) =>
      connectEvm({ config, log: openLog('silent'), clock: systemClock })
    const address = open(testNetwork([url])).parseAddress(`0x${'00'.repeat(20)}`)
    if (address === undefined) throw new Error('no address')
    isSandbox = true
    const chain = open(testNetwork([url], MAIN))
    await expect(chain.lanePosition(address)).rejects.toThrow('is a Florin sandbox')
    expect(nodes[0]?.requests.flat()).not.toContain('eth_getTransactionCount')
  })
})

test.each([
  ['http://127.0.0.1:8545/key', '127.0.0.1:8545'],
  ['http://[::1]:8545', '[::1]:8545'],
  ['https://node.internal/v2/key', 'node.internal'],
  ['https://user:pw@canary-key.base-mainnet.quiknode.pro/abc?k=1', '*.quiknode.pro'],
  ['http://geth:8545', 'geth:8545'],
])('of %s only %s is shown', (url, shown) => {
  expect(shownHost(new Secret(url))).toBe(shown)
})
