import { describe, expect, test } from 'vitest'
import { NodeFailure } from '../../chain.ts'
import type { QuoteOrder } from '../../venue.ts'
import { addressFromBytes } from '../account.ts'
import { newKey } from '../test-payment.ts'
import { ALICE, HASH, MINT, TOKEN_RENT, tokenAccount } from '../test-scene.ts'
import { result } from '../test-script.ts'
import { WRAPPED_NATIVE } from './jupiter-check.ts'
import {
  HELD,
  IN,
  LAMPORTS,
  OUT,
  FEE,
  WRAPPED,
  chainLines,
  openTestRouter,
  quoted,
} from './test-router.ts'
import type { Told } from './test-router.ts'

const token = { mint: MINT, decimals: 6, symbol: 'USDC' }
const buying = { side: 'buy', token, amountIn: IN } as const

const COMMITMENT = new Uint8Array(32).fill(0xab)

async function draftWith(told: Told, minimumOut = (OUT * 99n) / 100n, wanted: QuoteOrder = buying) {
  const { venue, ...others } = await openTestRouter(told)
  const outcome = await venue.quote(wanted)
  if (!outcome.ok) throw new Error(outcome.refusal)
  const order = { wallet: ALICE, quote: outcome.quote, minimumOut, commitment: COMMITMENT }
  return { ...others, venue, order, drafted: venue.draft(order) }
}

const answer = (amount: string) =>
  quoted(
    new URLSearchParams({
      ...{ inputMint: WRAPPED_NATIVE.address, outputMint: MINT, amount, slippageBps: '50' },
    }),
    OUT,
  )

describe('a hosted router', () => {
  test('quotes, with its key in a header and nothing of ours in the request', async () => {
    const { venue, service } = await openTestRouter()
    expect(await venue.quote(buying)).toEqual({
      ok: true,
      quote: {
        ...buying,
        venue: 'jupiter',
        amountOut: OUT,
        priceImpactBasisPoints: 12n,
        height: 299_283_763n,
        expiresAtMilliseconds: null,
        route: { through: 'Some AMM' },
      },
    })
    expect(service.headers()['x-api-key']).toBe('a-key-of-ours')
    expect(service.requests[0]).toMatch(/^GET \/quote\?inputMint=So1.*&asLegacyTransaction=true/)
  })

  test.each([
    ['TOKEN_NOT_TRADABLE', 'no_market'],
    ['COULD_NOT_FIND_ANY_ROUTE', 'insufficient_liquidity'],
  ])('says no by %s', async (errorCode, refusal) => {
    const { venue } = await openTestRouter({ refusal: { status: 400, body: { errorCode } } })
    expect(await venue.quote(buying)).toEqual({ ok: false, refusal })
  })

  test('that is busy, or answers something else, says nothing', async () => {
    for (const refusal of [
      { status: 429, body: { message: 'Too many requests' } },
      { status: 200, body: answer('5') },
      { status: 200, body: { ...answer(`${IN}`), outputMint: ALICE } },
    ]) {
      const { venue } = await openTestRouter({ refusal })
      await expect(venue.quote(buying)).rejects.toThrow(NodeFailure)
    }
  })

  test('builds what is signed with our commitment, with the caller’s minimum as its own bound', async () => {
    const { drafted, chain, bodies } = await draftWith({})
    const outcome = await drafted
    if (!outcome.ok) throw new Error(outcome.refusal)
    const { draft, counterparty } = outcome
    expect(counterparty).toBe(WRAPPED)
    expect(draft).toMatchObject({ carriesCommitment: true })
    expect(draft.feeCeiling).toBeGreaterThanOrEqual(5_200n + TOKEN_RENT)
    expect(bodies[0]).toMatchObject({
      userPublicKey: ALICE,
      wrapAndUnwrapSol: true,
      useSharedAccounts: true,
      asLegacyTransaction: true,
      quoteResponse: { slippageBps: 100 },
    })
    const { renewal } = chain
    const isRenewable = renewal.kind === 'lifetime' && renewal.isRenewable?.(draft.terms)
    expect(isRenewable).toBe(false)
    // The router's own word on how long it lives is not taken.
    expect(renewal.kind === 'lifetime' && renewal.lifetimeOf(draft.terms)).toBe(190n)
  })

  test('whose price moved is asked once more, and a minimum that nobody gives is refused', async () => {
    const worse = (OUT * 995n) / 1000n
    const moved = await draftWith({ out: (asked) => (asked === 1 ? OUT : worse) })
    expect(await moved.drafted).toMatchObject({ ok: true })
    const gone = await draftWith({ out: (asked) => (asked === 1 ? OUT : OUT / 2n) })
    expect(await gone.drafted).toEqual({ ok: false, refusal: 'price_moved' })
  })

  test.each([
    ['takes more', { route: { amountIn: IN + 1n } }, /moves other lamports/],
    ['promises less', { route: { slippage: 5_000 } }, /less than the minimum/],
    ['is for somebody else', { route: { mint: newKey().address } }, /is not signed/],
    [
      'does not live',
      { lines: { isBlockhashValid: { context: { slot: 50 }, value: false } } },
      /no blockhash/,
    ],
    [
      'would fail',
      {
        lines: {
          simulateTransaction: { context: { slot: 50 }, value: { err: 'AccountNotFound' } },
        },
      },
      /would fail/,
    ],
    ['would take more', { lines: chainLines(LAMPORTS - 3n * IN) }, /something else/],
    ['would give less', { lines: chainLines(undefined, 5_000_001n) }, /something else/],
  ])('whose transaction %s is not signed', async (_, told: Told, problem) => {
    const { drafted } = await draftWith(told)
    await expect(drafted).rejects.toThrow(problem)
  })

  test('builds for wallets of others, even empty ones', async () => {
    const { venue, order, drafted } = await draftWith({})
    await drafted
    const outcome = await venue.prepare(order)
    if (!outcome.ok) throw new Error(outcome.refusal)
    const built = outcome.preparation.build([])
    expect(built.summary).toMatchObject({
      feePayer: ALICE,
      commitments: [Buffer.from(COMMITMENT).toString('hex')],
    })
    expect(built.fee.accountRent).toBe(TOKEN_RENT)
  })

  test('says which block the balances are of, so that they count as news', async () => {
    const { drafted } = await draftWith({})
    expect(await drafted).toMatchObject({ draft: { balances: { height: 50n, blockHash: HASH } } })

    // The newest blockhash is of a later slot than the balances.
    const later = addressFromBytes(new Uint8Array(32).fill(8))
    const getLatestBlockhash = {
      context: { slot: 51 },
      value: { blockhash: later, lastValidBlockHeight: 191 },
    }
    const asked: unknown[] = []
    const getBlock = (params: unknown[]) => {
      asked.push(params[0])
      return result({ blockhash: HASH })
    }
    const moved = await draftWith({ lines: { ...chainLines(), getLatestBlockhash, getBlock } })
    expect(await moved.drafted).toMatchObject({
      draft: { balances: { height: 50n, blockHash: HASH } },
    })
    expect(asked).toEqual([50])
  })
})

describe('a sale to a hosted router', () => {
  const SOLD = 2_000_000n
  /** Less than the rent of an account, so that nobody can hide it there. */
  const GIVEN = 1_000_000n
  const selling = { side: 'sell', token, amountIn: SOLD } as const
  const kept = 700_000_000n
  const wrapped = (amount: bigint) => ({
    ...tokenAccount(ALICE, { mint: WRAPPED_NATIVE.address, amount }),
    lamports: Number(TOKEN_RENT + amount),
  })
  const sale = (gained: bigint, change: Told = {}) =>
    draftWith(
      {
        out: () => GIVEN,
        ...change,
        lines: chainLines(LAMPORTS + gained - FEE, HELD - SOLD),
      },
      GIVEN,
      selling,
    )

  test('is signed when it gives the minimum, and not for a lamport less', async () => {
    expect(await (await sale(GIVEN)).drafted).toMatchObject({ ok: true })
    await expect((await sale(GIVEN - 1n)).drafted).rejects.toThrow(/something else/)
    await expect((await sale(0n)).drafted).rejects.toThrow(/something else/)
  })

  test('gives nothing by paying out what was wrapped before', async () => {
    const accounts = { [WRAPPED]: wrapped(kept) }
    const own = TOKEN_RENT + kept
    expect(await (await sale(own + GIVEN, { accounts })).drafted).toMatchObject({ ok: true })
    await expect((await sale(own, { accounts })).drafted).rejects.toThrow(/something else/)
  })
})
