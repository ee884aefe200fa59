import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Quote, TradeSide, Venue } from '../../venue.ts'
import { knownAddress } from '../account.ts'
import { SOL, startTestChain } from '../test-chain.ts'
import type { TestChain, TestWallet } from '../test-chain.ts'

let world: TestChain
let venue: Venue
let serial = 0
beforeAll(async () => {
  world = await startTestChain()
  const [found] = world.chain.venues ?? []
  if (found === undefined) throw new Error('the sandbox has a market')
  venue = found
})
afterAll(async () => {
  await world.sandbox.stop()
})

function token(symbol: string) {
  const found = world.sandbox.solana.tokens.find((each) => each.symbol === symbol)
  if (found === undefined) throw new Error(`the sandbox trades ${symbol}`)
  return { mint: knownAddress(found.mint), decimals: found.decimals, symbol }
}

async function quoted(side: TradeSide, symbol: string, amountIn: bigint): Promise<Quote> {
  const outcome = await venue.quote({ side, token: token(symbol), amountIn })
  if (!outcome.ok) throw new Error(`refused: ${outcome.refusal}`)
  return outcome.quote
}

function swap(wallet: TestWallet, quote: Quote, minimumOut = quote.amountOut) {
  serial += 1
  const commitment = new Uint8Array(32).fill(serial)
  return { wallet: wallet.address, quote, minimumOut, commitment }
}

/** Drafts, signs, sends and waits; what the venue says that it gave. */
async function traded(wallet: TestWallet, quote: Quote) {
  const outcome = await venue.draft(swap(wallet, quote))
  if (!outcome.ok) throw new Error(`refused: ${outcome.refusal}`)
  const { draft, counterparty } = outcome
  const signed = await world.chain.sign(draft.terms, 0n, wallet.signer)
  const [verdict] = await world.chain.broadcast([signed.raw])
  expect(verdict?.kind).toBe('accepted')
  const mined = await world.mined(signed.hash)
  expect(mined.succeeded).toBe(true)
  const { transfers, senderChanges } = mined
  const swapped = { wallet: wallet.address, quote, transfers, senderChanges }
  return { draft, counterparty, mined, received: venue.received(swapped) }
}

const balance = async (wallet: TestWallet, asset: string): Promise<bigint> => {
  const { symbol, decimals } = asset === 'native' ? { symbol: 'SOL', decimals: 9 } : token(asset)
  const profile = {
    symbol,
    asset: asset === 'native' ? asset : token(asset).mint,
    decimals,
    takesCommitment: true,
  }
  return (await world.chain.balances(wallet.address, [profile])).amounts[0] ?? 0n
}

describe('a swap with the maker', () => {
  test.each(['ACORN', 'CEDAR'])(
    'of %s, there and back, is exact to the base unit',
    async (name) => {
      const wallet = await world.wallet(['native', '20'])
      const before = await balance(wallet, 'native')
      const buy = await traded(wallet, await quoted('buy', name, SOL))
      const held = await balance(wallet, name)
      expect(buy.counterparty).toBe(world.sandbox.solana.maker.address)
      expect(buy.received).toBe(held)
      expect(held).toBeGreaterThan(0n)
      const afterBuy = await balance(wallet, 'native')
      expect(before - afterBuy).toBe(SOL + buy.mined.feePaid)
      expect(buy.mined.feePaid).toBeLessThanOrEqual(buy.draft.feeCeiling)
      expect(buy.draft.carriesCommitment).toBe(true)

      const sell = await traded(wallet, await quoted('sell', name, held))
      expect(await balance(wallet, name)).toBe(0n)
      expect((await balance(wallet, 'native')) - afterBuy).toBe(
        (sell.received ?? 0n) - sell.mined.feePaid,
      )
      // Two fees of 0.3 percent, and rounding against the taker.
      expect(sell.received).toBeLessThan(SOL)
      expect(sell.received).toBeGreaterThan((SOL * 99n) / 100n)
      expect(sell.mined.feePaid).toBeLessThanOrEqual(sell.draft.feeCeiling)
    },
  )
})
