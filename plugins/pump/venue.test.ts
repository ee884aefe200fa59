import { describe, expect, test } from 'vitest'
import { NotCarried } from '../../server/src/chains/venue.ts'
import type { TradeSide } from '../../server/src/chains/venue.ts'
import { chainLines } from '../../server/src/chains/solana/markets/test-router.ts'
import { readPaymentTerms } from '../../server/src/chains/solana/payment-terms.ts'
import { ASSOCIATED_TOKEN_PROGRAM } from '../../server/src/chains/solana/programs.ts'
import { NETWORK } from '../../server/src/chains/solana/test-network.ts'
import {
  ALICE,
  ALICES,
  HASH,
  MINT,
  TOKEN_RENT,
  account,
} from '../../server/src/chains/solana/test-scene.ts'
import type { Accounts } from '../../server/src/chains/solana/test-scene.ts'
import { readWireTransaction } from '../../server/src/chains/solana/wire-transaction.ts'
import {
  COMMITMENT,
  CURVE,
  FEE,
  HELD,
  LAMPORTS,
  VOLUME_RENT,
  openPump,
  quoteOf,
  worldOf,
} from './test-scene.ts'
import { curveOf, pump } from './test-vectors.ts'

const IN = { buy: 1_000_000_000n, sell: 4_000_000n }
const COMPLETE = { 48: 1 }

/** What the chain shows behind a trade: so much more lamports and tokens for Alice. */
interface After {
  readonly native: bigint
  readonly tokens: bigint
}

async function drafted(
  side: TradeSide,
  after: (out: bigint) => After,
  { accounts = worldOf(), less = 0n }: { accounts?: Accounts; less?: bigint } = {},
) {
  const out = (await quoteOf((await openPump(accounts)).venue, side, IN[side])).amountOut
  const { native, tokens } = after(out)
  const { venue } = await openPump(accounts, chainLines(LAMPORTS + native - FEE, HELD + tokens))
  const quote = await quoteOf(venue, side, IN[side])
  const order = { wallet: ALICE, quote, minimumOut: out - less, commitment: COMMITMENT }
  return { venue, order, out, draft: () => venue.draft(order) }
}
const bought = (out: bigint): After => ({ native: -IN.buy, tokens: out })
const sold = (out: bigint): After => ({ native: out, tokens: -IN.sell })

describe('a draft', () => {
  test.each([
    ['buy', bought],
    ['sell', sold],
  ] as const)(
    'of a %s is one trade of the wallet alone, and holds no more than its fee',
    async (side, after) => {
      const { out, draft } = await drafted(side, after)
      const outcome = await draft()
      if (!outcome.ok) throw new Error(outcome.refusal)
      expect(outcome).toMatchObject({ counterparty: CURVE, allowance: null })
      expect(outcome.draft).toMatchObject({ feeCeiling: FEE, carriesCommitment: true })
      const { transaction, lastValidBlockHeight, feePayer } = readPaymentTerms(
        outcome.draft.terms,
        String(NETWORK),
      )
      expect({ lastValidBlockHeight, feePayer }).toEqual({
        lastValidBlockHeight: 190n,
        feePayer: ALICE,
      })
      const read = readWireTransaction(Buffer.from(transaction, 'base64'))
      expect(read).toMatchObject({ signers: [ALICE], blockhash: HASH, usesLookupTables: false })
      const calls = read?.instructions ?? []
      expect(calls).toHaveLength(4)
      const [trade] = calls.flatMap((each) => pump.read(each) ?? [])
      const [amountIn, minimumOut] = [IN[side], out]
      expect(trade).toEqual({
        side,
        wallet: ALICE,
        mint: MINT,
        amountIn,
        minimumOut,
        counterparty: CURVE,
      })
    },
  )

  test('of the first buy makes the token account, and holds the rent of both', async () => {
    const { [ALICES]: _, ...accounts } = worldOf(curveOf(2), true)
    const rent = TOKEN_RENT + VOLUME_RENT
    const { draft } = await drafted('buy', (out) => ({ native: -IN.buy - rent, tokens: out }), {
      accounts,
    })
    const outcome = await draft()
    if (!outcome.ok) throw new Error(outcome.refusal)
    expect(outcome.draft.feeCeiling).toBe(FEE + rent)
    const { transaction } = readPaymentTerms(outcome.draft.terms, String(NETWORK))
    const read = readWireTransaction(Buffer.from(transaction, 'base64'))
    const making = read?.instructions.find(({ program }) => program === ASSOCIATED_TOKEN_PROGRAM)
    expect(making?.accounts.slice(0, 4)).toEqual([ALICE, ALICES, ALICE, MINT])
  })

  test('of the first sale holds the rent, which is no part of what comes out', async () => {
    const accounts = worldOf(curveOf(2), true)
    const { draft } = await drafted(
      'sell',
      (out) => ({ native: out - VOLUME_RENT, tokens: -IN.sell }),
      { accounts },
    )
    expect(await draft()).toMatchObject({ ok: true, draft: { feeCeiling: FEE + VOLUME_RENT } })
  })

  test.each([
    ['more lamports than agreed', 'buy', (out: bigint) => ({ native: -IN.buy - 1n, tokens: out })],
    [
      'fewer tokens than the least',
      'buy',
      (out: bigint) => ({ native: -IN.buy, tokens: out - 1n }),
    ],
    [
      'fewer lamports than the least',
      'sell',
      (out: bigint) => ({ native: out - 1n, tokens: -IN.sell }),
    ],
    ['more tokens than agreed', 'sell', (out: bigint) => ({ native: out, tokens: -IN.sell - 1n })],
  ] as const)('is not carried where the chain would move %s', async (_, side, after) => {
    const { draft } = await drafted(side, after)
    await expect(draft()).rejects.toThrow(NotCarried)
  })

  test('is not carried where the chain would refuse it', async () => {
    const { venue } = await openPump(worldOf(), {
      simulateTransaction: {
        context: { slot: 50 },
        value: { err: { InstructionError: [2, { Custom: 6042 }] }, logs: [] },
      },
    })
    const quote = await quoteOf(venue, 'buy', IN.buy)
    const order = { wallet: ALICE, quote, minimumOut: 1n, commitment: COMMITMENT }
    await expect(venue.draft(order)).rejects.toThrow('instruction 3 fails: error 6042')
  })

  test('is refused where the price has moved, the curve is complete, or the money is missing', async () => {
    const { venue } = await openPump()
    const quote = await quoteOf(venue, 'buy', IN.buy)
    const order = { wallet: ALICE, quote, minimumOut: quote.amountOut + 1n, commitment: COMMITMENT }
    expect(await venue.draft(order)).toEqual({ ok: false, refusal: 'price_moved' })
    const complete = await openPump(worldOf(curveOf(2, COMPLETE)))
    expect(await complete.venue.draft({ ...order, minimumOut: 1n })).toEqual({
      ok: false,
      refusal: 'price_moved',
    })
    const poor = await openPump({ ...worldOf(), [ALICE]: account({ lamports: IN.buy }) })
    expect(await poor.venue.draft(order)).toEqual({ ok: false, refusal: 'insufficient_funds' })
  })
})

test('a coin without a curve is none of this venue, and a complete one has no liquidity here', async () => {
  const order = {
    side: 'buy',
    token: { mint: MINT, decimals: 6, symbol: null },
    amountIn: 1_000n,
  } as const
  const { [CURVE]: _, ...without } = worldOf()
  const none = await openPump(without)
  expect(await none.venue.quote(order)).toEqual({ ok: false, refusal: 'no_market' })
  const complete = await openPump(worldOf(curveOf(2, COMPLETE)))
  expect(await complete.venue.quote(order)).toEqual({
    ok: false,
    refusal: 'insufficient_liquidity',
  })
})

test('a build for a wallet of others is the same transaction, and says its rent', async () => {
  const accounts = worldOf(curveOf(2), true)
  const { venue, order } = await drafted(
    'buy',
    (out) => ({ native: -IN.buy - VOLUME_RENT, tokens: out }),
    { accounts },
  )
  const outcome = await venue.prepare(order)
  if (!outcome.ok) throw new Error(outcome.refusal)
  expect(outcome).toMatchObject({ counterparty: CURVE, allowance: null })
  const { preparation } = outcome
  expect(preparation.fee).toEqual({
    max: FEE + VOLUME_RENT,
    priority: 400n,
    accountRent: VOLUME_RENT,
  })
  const built = preparation.build([])
  expect(built).toMatchObject({ format: 'solana-v0', lastValidBlockHeight: 190n })
  const read = readWireTransaction(built.transaction)
  const trades = (read?.instructions ?? []).flatMap((each) => pump.read(each) ?? [])
  expect(trades).toMatchObject([{ side: 'buy', wallet: ALICE, amountIn: IN.buy }])
})
