import { onTestFinished } from 'vitest'
import { systemClock } from '../../../kernel/clock.ts'
import { openLog } from '../../../kernel/log.ts'
import { Secret } from '../../../kernel/secret.ts'
import type { Address } from '../../chain.ts'
import { startTestNode } from '../../json-rpc/test-node.ts'
import { connectSolana } from '../connect.ts'
import { TOKEN_PROGRAM } from '../programs.ts'
import { messageOf, sealed } from '../test-payment.ts'
import { testNetwork } from '../test-network.ts'
import { ALICE, ALICES, HASH, MINT, WORLD, account, nodeWith, tokenAccount } from '../test-scene.ts'
import type { Accounts } from '../test-scene.ts'
import { result, script } from '../test-script.ts'
import type { Lines } from '../test-script.ts'
import { associatedAccount } from '../token-account.ts'
import { WRAPPED_NATIVE } from './jupiter-check.ts'
import { AUTHORITY, routeSteps } from './test-route.ts'
import type { TestRoute } from './test-route.ts'
import { say, startTestService } from './test-service.ts'
import type { TestService } from './test-service.ts'

/** What the router's answers below are about: lamports in, tokens out. */
export const IN = 1_000_000_000n
export const OUT = 150_000_000n
/** Base units of Alice's tokens, before. */
export const HELD = 5_000_000n
export const LAMPORTS = 10_000_000_000n
/** What the network takes for the router's transactions. */
export const FEE = 5_200n
export const WRAPPED: Address = associatedAccount(
  ALICE,
  TOKEN_PROGRAM,
  WRAPPED_NATIVE.address,
).address

/** As the public documents show an answer of GET /quote; the numbers are ours. */
export const quoted = (asked: URLSearchParams, amountOut: bigint) => ({
  inputMint: asked.get('inputMint') ?? '',
  inAmount: asked.get('amount') ?? '',
  outputMint: asked.get('outputMint') ?? '',
  outAmount: `${amountOut}`,
  otherAmountThreshold: '0',
  swapMode: 'ExactIn',
  slippageBps: Number(asked.get('slippageBps')),
  platformFee: null,
  priceImpactPct: '0.00125',
  routePlan: [{ swapInfo: { ammKey: AUTHORITY, label: 'Some AMM' }, percent: 100 }],
  contextSlot: 299_283_763,
  timeTaken: 0.015,
})

export interface Told {
  /** What comes out, by how many quotes came before. */
  readonly out?: (asked: number) => bigint
  readonly route?: Partial<TestRoute>
  readonly lines?: Lines
  /** Of the chain, before; what a simulation shows afterwards is in `lines`. */
  readonly accounts?: Accounts
  readonly refusal?: { readonly status: number; readonly body: unknown }
}

/** A router of Alice's over a scripted service and node, as its configuration makes it. */
export async function openTestRouter(told: Told = {}) {
  const { out = () => OUT, route = {}, lines = {}, accounts = {}, refusal } = told
  let asked = 0
  const bodies: Record<string, unknown>[] = []
  const service: TestService = await startTestService(({ path, body }, response) => {
    if (refusal !== undefined) return say(response, refusal.body, refusal.status)
    const url = new URL(path, 'http://router')
    if (url.pathname === '/quote') {
      asked += 1
      return say(response, quoted(url.searchParams, out(asked)))
    }
    const said = JSON.parse(body) as { quoteResponse: ReturnType<typeof quoted> }
    bodies.push({ ...said })
    const { inputMint, inAmount, outAmount, slippageBps } = said.quoteResponse
    const steps = routeSteps({
      side: inputMint === MINT ? 'sell' : 'buy',
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
  const before = { ...WORLD, ...accounts }
  const node = await startTestNode(script(nodeWith(before, { ...chainLines(), ...lines })))
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

/** A node that shows a swap's end so: Alice's lamports and tokens. Left out, what a buy of `OUT` for `IN` leaves. */
export function chainLines(native = LAMPORTS - IN - FEE, held = HELD + OUT): Lines {
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
