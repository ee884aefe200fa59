import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { nativeUnitsPerUnit } from '../../kernel/currency-tokens.ts'
import { openLog } from '../../kernel/log.ts'
import type { AssetProfile, NetworkConfig } from '../../kernel/network-config.ts'
import type { Address, Block, TransactionHash } from '../chain.ts'
import { postText } from '../json-rpc/post-text.ts'
import { startTestNode } from '../json-rpc/test-node.ts'
import type { TestNode } from '../json-rpc/test-node.ts'
import { addressFromBytes, parseAddress } from './account.ts'
import { connectEvm } from './connect.ts'
import { ETHER, order, startTestChain } from './test-chain.ts'
import type { TestChain } from './test-chain.ts'
import { NATIVE, USDC, testNetwork } from './test-network.ts'
import { TRANSFER_TOPIC } from './token-transfers.ts'

const CURRENCY: AssetProfile = { ...USDC, isCurrency: true }
const ASSETS = [NATIVE, CURRENCY]
const PAYER = addressFromBytes(new Uint8Array(20).fill(0x55))
const WALLET = addressFromBytes(new Uint8Array(20).fill(0x66))
const RESERVE = parseAddress('0x6D11e1A6BdCC974ebE1cA73CC2c1Ea3fDE624370') ?? WALLET

describe('what a node tells of a token that is the native currency', () => {
  const word = (digit: string): string => `0x${digit.repeat(64)}`
  const BLOCK: Block = {
    ...{ height: 16n, hash: word('b'), parentHash: word('c'), timeMilliseconds: 0 },
    transactionHashes: [word('1') as TransactionHash, word('2') as TransactionHash],
  }
  const topic = (address: Address) => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`
  const log = (transaction: string, from: Address, amount: bigint) => ({
    ...{ address: USDC.asset.toLowerCase(), blockHash: BLOCK.hash, transactionHash: transaction },
    logIndex: `0x${amount.toString(16)}`,
    topics: [TRANSFER_TOPIC, topic(from), topic(WALLET)],
    data: `0x${amount.toString(16).padStart(64, '0')}`,
  })
  const valued = (hash: string, value: string) => ({ hash, from: PAYER, to: WALLET, value })
  const nodes: TestNode[] = []
  afterEach(async () => {
    await Promise.all(nodes.splice(0).map((node) => node.stop()))
  })

  async function arrivals(
    network: NetworkConfig['network'],
    transactions: readonly object[],
    logs: readonly object[],
  ) {
    const answers: Readonly<Record<string, unknown>> = {
      eth_getBlockByHash: { hash: BLOCK.hash, transactions },
      eth_getLogs: logs,
      eth_blockNumber: '0x10',
      eth_getTransactionReceipt: { blockHash: BLOCK.hash, status: '0x1' },
    }
    const node = await startTestNode({
      chainId: BigInt(network.slice('eip155:'.length)),
      reply: (method) => ({ result: answers[method] ?? null }),
    })
    nodes.push(node)
    const config = { ...testNetwork([node.url], { assets: ASSETS }), network }
    const chain = connectEvm({ config, log: openLog('silent'), clock: systemClock })
    const found = await chain.arrivals([BLOCK], async () => new Set([WALLET]))
    return found?.map(({ asset, amount }) => [asset, amount])
  }
  const { network } = testNetwork([])
  const STABLE = 'eip155:988' as NetworkConfig['network']

  test('is money that came in, once: a log beside the value of its own transaction tells it again', async () => {
    const both = [valued(word('1'), '0x5'), { ...valued(word('2'), '0x0'), to: USDC.asset }]
    const logs = [log(word('1'), PAYER, 1n), log(word('2'), PAYER, 6n)]
    expect(await arrivals(network, both, logs)).toEqual([
      ['native', 5n],
      [USDC.asset, 6n],
    ])
  })

  test('is nothing where the token of Stable moves parts of its unit out of its reserve', async () => {
    const none = [valued(word('1'), '0x0'), valued(word('2'), '0x0')]
    const logs = [log(word('2'), RESERVE, 1n), log(word('2'), PAYER, 6n)]
    expect(await arrivals(STABLE, none, logs)).toEqual([[USDC.asset, 6n]])
    expect(await arrivals(network, none, logs)).toHaveLength(2)
  })
})

describe('a draft of a token that is the native currency', () => {
  let world: TestChain
  beforeAll(async () => {
    world = await startTestChain()
  })
  afterAll(() => world.sandbox.stop())

  /** By a node that answers so when it is asked for the gas of a call. */
  const drafted = async (error: object, asset: AssetProfile) => {
    const sender = await world.wallet(['native', '1'], ['USDC', '1'])
    const chain = connectEvm({
      config: testNetwork([world.sandbox.rpcUrl], { assets: ASSETS }),
      log: openLog('silent'),
      clock: systemClock,
      post: (posting) => {
        const { answer, abandon } = postText(posting)
        const asked: unknown = JSON.parse(posting.body)
        const calls = (Array.isArray(asked) ? asked : [asked]) as { id: number; method: string }[]
        const told = answer.then((posted) => {
          const answers: unknown = JSON.parse(posted.text)
          const all = (Array.isArray(answers) ? answers : [answers]) as { id: number }[]
          const changed = all.map((each) =>
            calls.some(({ id, method }) => id === each.id && method === 'eth_estimateGas')
              ? { jsonrpc: '2.0', id: each.id, error }
              : each,
          )
          return { ...posted, text: JSON.stringify(Array.isArray(answers) ? changed : changed[0]) }
        })
        return { answer: told, abandon }
      },
    })
    return await chain.draft(order(sender, WALLET, ETHER / nativeUnitsPerUnit(6), asset))
  }

  test.each([
    ['has too little for the gas beside it', { code: -32_000, message: 'insufficient funds' }],
    [
      'fails, as one does whose gas came out of the same balance',
      { code: 3, message: 'execution reverted' },
    ],
  ])('says what is missing where the node says that the call %s', async (_, error) => {
    expect(await drafted(error, CURRENCY)).toMatchObject({
      ok: true,
      draft: { balances: { native: ETHER, asset: 1_000_000n } },
    })
  })

  test('of a token that is not, the recipient is still what refuses', async () => {
    const reverted = { code: 3, message: 'execution reverted' }
    expect(await drafted(reverted, USDC)).toEqual({ ok: false, refusal: 'recipient_refuses' })
  })
})
