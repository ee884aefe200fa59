import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Block } from '../../chain.ts'
import type { MarketFact } from '../../market.ts'
import type { TradedToken } from '../../venue.ts'
import { requireAddress } from '../account.ts'
import { ETHER, order, startTestChain } from '../test-chain.ts'
import type { TestChain } from '../test-chain.ts'
import { openTestMarket } from './test-market.ts'
import type { TestMarket } from './test-market.ts'

let scene: TestChain
let market: TestMarket
let token: TradedToken

beforeAll(async () => {
  scene = await startTestChain()
  const [first] = scene.sandbox.tokens
  if (first === undefined) throw new Error('nothing is traded here')
  token = { ...first, mint: requireAddress(first.mint) }
  market = openTestMarket(scene, 'uniswap-v2', token)
})
afterAll(async () => {
  await scene.sandbox.stop()
})

async function read(blocks: readonly Block[]): Promise<readonly MarketFact[] | undefined> {
  if (scene.chain.market === undefined) throw new Error('nothing is read here')
  return await scene.chain.market.read(blocks)
}

async function blockAt(height: bigint): Promise<Block> {
  const [block] = await scene.chain.blocks(height, 1)
  if (block === undefined) throw new Error('there is no such block')
  return block
}

describe('what the markets of a chain do', () => {
  test('begins with a pool for every token that is traded for native currency, and what it holds', async () => {
    const blocks = await scene.chain.blocks(0n, 4)
    const facts = (await read(blocks)) ?? []
    // The last one has a pool with USDC alone, and that is no market here.
    const tokens = scene.sandbox.tokens.slice(0, -1)
    const mints = [scene.sandbox.usdc, ...tokens.map(({ mint }) => mint)]
    const opened = facts.filter(({ kind }) => kind === 'opened')
    expect(opened.map(({ mint }) => mint).toSorted()).toEqual(mints.toSorted())
    for (const mint of mints) {
      expect(facts).toContainEqual(
        expect.objectContaining({ kind: 'reserves', mint, native: 1_000n * ETHER }),
      )
    }
  })

  test('shows a buy and a sell by who signed them, with exactly what moved, then what is left', async () => {
    const wallet = await scene.wallet(['native', '5'])
    const quote = await market.quoted('buy', ETHER)
    const [buy] = await market.land(
      wallet,
      await market.drafted(market.order(wallet.address, quote)),
    )
    if (buy === undefined) throw new Error('nothing was mined')
    const facts = await read([await blockAt(buy.height)])
    const trade = facts?.find(({ kind }) => kind === 'trade')
    expect(trade).toMatchObject({
      venue: 'uniswap-v2',
      side: 'buy',
      mint: token.mint,
      market: quote.route['pool'],
      trader: wallet.address,
      nativeAmount: ETHER,
      tokenAmount: quote.amountOut,
      height: buy.height,
    })
    const kinds = facts?.map(({ kind }) => kind)
    expect(kinds).toEqual(['reserves', 'trade'])

    const back = await market.quoted('sell', quote.amountOut)
    const landed = await market.land(
      wallet,
      await market.drafted(market.order(wallet.address, back)),
    )
    const height = landed.at(-1)?.height ?? 0n
    const sells = (await read([await blockAt(height)]))?.filter(({ kind }) => kind === 'trade')
    expect(sells).toMatchObject([
      {
        side: 'sell',
        trader: wallet.address,
        nativeAmount: back.amountOut,
        tokenAmount: quote.amountOut,
      },
    ])
  })

  test('is read in one round trip, and one more for who signed', async () => {
    const wallet = await scene.wallet(['native', '5'])
    const quote = await market.quoted('buy', ETHER)
    const [buy] = await market.land(
      wallet,
      await market.drafted(market.order(wallet.address, quote)),
    )
    const head = await scene.chain.head()
    const blocks = await scene.chain.blocks((buy?.height ?? 1n) - 1n, 3)
    expect(head.height).toBeGreaterThanOrEqual(buy?.height ?? 0n)
    await read(blocks)
    scene.requests()
    await read(blocks)
    expect(scene.requests()).toBe(2)
  })

  test('says so when a block is not of the chain any more', async () => {
    const wallet = await scene.wallet(['native', '5'])
    const quote = await market.quoted('buy', ETHER)
    const [buy] = await market.land(
      wallet,
      await market.drafted(market.order(wallet.address, quote)),
    )
    const gone = { ...(await blockAt(buy?.height ?? 0n)), hash: `0x${'5e'.repeat(32)}` }
    expect(await read([gone])).toBeUndefined()
  })

  test('takes no contract for a pool because it is the very code of one, and names the same tokens', async () => {
    const wallet = await scene.wallet(['native', '5'])
    const pair = (await market.quoted('buy', ETHER)).route['pool']
    const liar = await scene.contract(String(await scene.rpc('eth_getCode', pair, 'latest')))
    // Its tokens, and its lock, where a pair keeps them.
    for (const slot of ['0x6', '0x7', '0xc'].map(
      (each) => `0x${each.slice(2).padStart(64, '0')}`,
    )) {
      const word = await scene.rpc('eth_getStorageAt', pair, slot, 'latest')
      await scene.rpc('anvil_setStorageAt', liar, slot, word)
    }
    const asked = order(wallet, liar, 1n)
    const { terms, laneLatest } = await scene.draft({ ...asked, recipient: wallet.address })
    // sync() writes Sync(reserves).
    const sync = { ...terms, to: liar, value: '0', data: '0xfff6cae9', gas: '200000' }
    const sent = await scene.chain.sign({ ...terms, ...sync }, laneLatest, wallet.signer)
    await scene.chain.broadcast([sent.raw])
    const { height, succeeded } = await market.mined(sent.hash)
    expect(succeeded).toBe(true)
    const receipt = await scene.rpc('eth_getTransactionReceipt', sent.hash)
    expect(JSON.stringify(receipt)).toContain('1c411e9a96e071241c2f21f7726b17ae')
    expect(await read([await blockAt(height)])).toEqual([])
  })
})
