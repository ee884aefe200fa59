import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../../kernel/until.ts'
import { NodeFailure } from '../../chain.ts'
import type { Block } from '../../chain.ts'
import type { MarketFact } from '../../market.ts'
import { SOL, order, startTestChain } from '../test-chain.ts'
import type { TestChain } from '../test-chain.ts'
import { openTrader } from './test-trader.ts'
import type { Trader } from './test-trader.ts'

let world: TestChain
let trader: Trader
beforeAll(async () => {
  world = await startTestChain()
  trader = openTrader(world)
})
afterAll(async () => {
  await world.sandbox.stop()
})

/** What the reader says of the blocks from a slot on, once they show what is looked for. */
async function factsFrom(
  slot: bigint,
  isThere: (facts: readonly MarketFact[]) => boolean,
): Promise<readonly MarketFact[]> {
  return await until(
    'the market shows it',
    async () => {
      try {
        const blocks = await world.chain.blocks(slot, 20)
        const facts = await world.chain.market?.read(blocks)
        return facts !== undefined && isThere(facts) ? facts : undefined
      } catch (error) {
        if (error instanceof NodeFailure) return undefined
        throw error
      }
    },
    { seconds: 30 },
  )
}

describe('what makers do', () => {
  test('is told: their markets that open, with the first block', async () => {
    const facts = await factsFrom(1_000n, (found) => found.length >= 4)
    const { maker, tokens, usdc } = world.sandbox.solana
    const opened = facts.filter(({ kind }) => kind === 'opened')
    expect(new Set(opened.map(({ mint }) => mint))).toEqual(
      new Set([...tokens.map(({ mint }) => mint), usdc]),
    )
    for (const each of opened) {
      expect(each).toMatchObject({ venue: 'rfq', market: maker.address, creator: maker.address })
    }
  })

  test('is told: each fill of theirs, with what moved, and no other payment of anybody', async () => {
    const wallet = await world.wallet(['native', '20'])
    const { height } = await world.chain.head()
    const buy = await trader.trade(wallet, await trader.quoted('buy', 'ACORN', SOL))
    const held = buy.received ?? 0n
    const sell = await trader.trade(wallet, await trader.quoted('sell', 'ACORN', held / 2n))
    // To the maker and from it to nobody is no trade.
    const { address } = world.sandbox.solana.maker
    const gift = await world.signed(order(wallet, trader.maker, SOL), wallet)
    await world.chain.broadcast([gift.raw])
    await world.mined(gift.hash)
    const isOurs = (fact: MarketFact) =>
      [buy.hash, sell.hash, gift.hash].includes(fact.transactionHash)
    const facts = await factsFrom(height, (found) => found.filter(isOurs).length >= 2)
    const common = {
      kind: 'trade',
      venue: 'rfq',
      market: address,
      mint: trader.token('ACORN').mint,
      trader: wallet.address,
    }
    expect(facts.filter(isOurs)).toEqual([
      expect.objectContaining({
        ...common,
        side: 'buy',
        transactionHash: buy.hash,
        height: buy.mined.height,
        blockHash: buy.mined.blockHash,
        nativeAmount: SOL,
        tokenAmount: held,
      }),
      expect.objectContaining({
        ...common,
        side: 'sell',
        transactionHash: sell.hash,
        nativeAmount: sell.received,
        tokenAmount: held / 2n,
      }),
    ])
  })

  test('is unknown when a block is not the chain’s any more', async () => {
    const wallet = await world.wallet(['native', '20'])
    const { mined } = await trader.trade(wallet, await trader.quoted('buy', 'ACORN', SOL))
    const [block] = await world.chain.blocks(mined.height, 1)
    if (block === undefined) throw new Error('the block is there')
    const other: Block = { ...block, hash: block.parentHash }
    expect(await world.chain.market?.read([other])).toBeUndefined()
  })
})
