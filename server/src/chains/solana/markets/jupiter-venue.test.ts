import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../kernel/clock.ts'
import { openLog } from '../../../kernel/log.ts'
import { Secret } from '../../../kernel/secret.ts'
import { NodeFailure } from '../../chain.ts'
import { startTestNode } from '../../json-rpc/test-node.ts'
import { connectSolana } from '../connect.ts'
import { TOKEN_PROGRAM } from '../programs.ts'
import { messageOf, newKey, sealed } from '../test-payment.ts'
import { testNetwork } from '../test-network.ts'
import {
  ALICE,
  ALICES,
  HASH,
  MINT,
  TOKEN_RENT,
  WORLD,
  account,
  nodeWith,
  tokenAccount,
} from '../test-scene.ts'
import { result, script } from '../test-script.ts'
import type { Lines } from '../test-script.ts'
import { associatedAccount } from '../token-account.ts'
import { WRAPPED_NATIVE } from './jupiter-check.ts'
import { AUTHORITY, routeSteps } from './test-route.ts'
import type { TestRoute } from './test-route.ts'
import { say, startTestService } from './test-service.ts'
import type { TestService } from './test-service.ts'

const IN = 1_000_000_000n
const OUT = 150_000_000n
const WRAPPED = associatedAccount(ALICE, TOKEN_PROGRAM, WRAPPED_NATIVE.address).address
const token = { mint: MINT, decimals: 6, symbol: 'USDC' }
const buying = { side: 'buy', token, amountIn: IN } as const

/** As the public documents show an answer of GET /quote; the numbers are ours. */
const quoted = (amountIn: string, amountOut: bigint, slippage: string) => ({
  inputMint: WRAPPED_NATIVE.address,
  inAmount: amountIn,
  outputMint: MINT,
  outAmount: `${amountOut}`,
  otherAmountThreshold: '0',
  swapMode: 'ExactIn',
  slippageBps: Number(slippage),
  platformFee: null,
  priceImpactPct: '0.00125',
  routePlan: [{ swapInfo: { ammKey: AUTHORITY, label: 'Some AMM' }, percent: 100 }],
  contextSlot: 299_283_763,
  timeTaken: 0.015,
})

interface Told {
  /** What comes out, by how many quotes came before. */
  readonly out?: (asked: number) => bigint
  readonly route?: Partial<TestRoute>
  readonly lines?: Lines
  readonly refusal?: { readonly status: number; readonly body: unknown }
}

async function market({ out = () => OUT, route = {}, lines = {}, refusal }: Told = {}) {
  let asked = 0
  const bodies: Record<string, unknown>[] = []
  const service: TestService = await startTestService(({ path, body }, response) => {
    if (refusal !== undefined) return say(response, refusal.body, refusal.status)
    const url = new URL(path, 'http://router')
    if (url.pathname === '/quote') {
      const slippage = url.searchParams.get('slippageBps') ?? ''
      asked += 1
      return say(response, quoted(url.searchParams.get('amount') ?? '', out(asked), slippage))
    }
    const said = JSON.parse(body) as { quoteResponse: ReturnType<typeof quoted> }
    bodies.push({ ...said })
    const { inAmount, outAmount, slippageBps } = said.quoteResponse
    const steps = routeSteps({
      side: 'buy',
      taker: ALICE,
      mint: MINT,
      amountIn: BigInt(inAmount),
      quotedOut: BigInt(outAmount),
      slippage: slippageBps,
      ...route,
    })
    const message = messageOf(ALICE, steps, { blockhash: HASH, legacy: true })
    const swapTransaction = Buffer.from(sealed(message, [])).toString('base64')
    say(response, { swapTransaction, lastValidBlockHeight: 999_999_999 })
  })
  onTestFinished(service.stop)
  const node = await startTestNode(script(nodeWith(WORLD, { ...chainLines(), ...lines })))
  onTestFinished(node.stop)
  const url = new Secret(`${service.url}/`)
  const chain = connectSolana({
    config: testNetwork([node.url], {
      markets: [{ venue: 'jupiter', url, apiKey: new Secret('a-key-of-ours') }],
    }),
    log: openLog('silent'),
    clock: systemClock,
  })
  const [venue] = chain.venues ?? []
  if (venue === undefined) throw new Error('a router is a market')
  return { chain, venue, service, bodies }
}

/** A node on which the swap does what it says. */
function chainLines(native = 10_000_000_000n - IN - 5_200n, held = 5_000_000n + OUT): Lines {
  return {
    isBlockhashValid: { context: { slot: 50 }, value: true },
    simulateTransaction: ([, options]: [
      string,
      { accounts?: { addresses: readonly string[] } },
    ]) => {
      const after: Record<string, object> = {
        ...WORLD,
        [ALICE]: account({ lamports: native }),
        [ALICES]: tokenAccount(ALICE, { amount: held }),
      }
      const addresses = options.accounts?.addresses ?? []
      return result({
        context: { slot: 50 },
        value: { err: null, logs: [], accounts: addresses.map((each) => after[each] ?? null) },
      })
    },
  }
}

const COMMITMENT = new Uint8Array(32).fill(0xab)

async function draftWith(told: Told, minimumOut = (OUT * 99n) / 100n) {
  const { venue, ...others } = await market(told)
  const outcome = await venue.quote(buying)
  if (!outcome.ok) throw new Error(outcome.refusal)
  const order = { wallet: ALICE, quote: outcome.quote, minimumOut, commitment: COMMITMENT }
  return { ...others, venue, order, drafted: venue.draft(order) }
}

describe('a hosted router', () => {
  test('quotes, with its key in a header and nothing of ours in the request', async () => {
    const { venue, service } = await market()
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
    const { venue } = await market({ refusal: { status: 400, body: { errorCode } } })
    expect(await venue.quote(buying)).toEqual({ ok: false, refusal })
  })

  test('that is busy, or answers something else, says nothing', async () => {
    for (const refusal of [
      { status: 429, body: { message: 'Too many requests' } },
      { status: 200, body: quoted('5', OUT, '50') },
      { status: 200, body: { ...quoted(`${IN}`, OUT, '50'), outputMint: ALICE } },
    ]) {
      const { venue } = await market({ refusal })
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
    ['would take more', { lines: chainLines(10_000_000_000n - 3n * IN) }, /something else/],
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
})
