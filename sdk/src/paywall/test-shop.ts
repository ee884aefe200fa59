import type { X402SettleAnswer } from '../contract/x402-settle.ts'
import { Florin } from '../florin.ts'
import { encodeHeader } from './header-json.ts'
import { paywall } from './paywall.ts'
import type { Paywall } from './paywall.ts'

const NETWORK = 'eip155:84532'
const TOKEN = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const PAY_TO = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const PAYER = '0x1111111111111111111111111111111111111111'
const KNOWN = { transaction: '0xabc', network: NETWORK, extra: { paymentId: 'pay_1' } }

export type Scheme = 'exact' | 'upto'

/** What the service says of a settlement; `once`: it settles a proof once. */
export type Settle = () => Promise<X402SettleAnswer>

export function settlesOnce(): Settle {
  let times = 0
  return async () => {
    times += 1
    if (times === 1) return { success: true, ...KNOWN }
    return { success: false, errorReason: 'duplicate_settlement', ...KNOWN }
  }
}

export const refuses =
  (errorReason: string): Settle =>
  async () => ({ success: false, errorReason, ...KNOWN })

/** A settlement that waits until it is let go. */
export function settlesWhenLet(settle: Settle) {
  const asked = Promise.withResolvers<void>()
  const isLet = Promise.withResolvers<void>()
  const waiting: Settle = async () => {
    asked.resolve()
    await isLet.promise
    return settle()
  }
  return { settle: waiting, asked: asked.promise, letGo: () => isLet.resolve() }
}

export interface Shop {
  readonly wall: Paywall
  /** The header that pays. */
  readonly paying: Readonly<Record<string, string>>
  /** What the seller has heard: payments, payments of which nothing was delivered, problems. */
  readonly told: string[]
}

/** A paywall before a service of which the test says how it settles, and when it verifies. */
export function openShop(
  scheme: Scheme,
  settle: Settle = settlesOnce(),
  beforeVerdict: () => Promise<void> = async () => undefined,
): Shop {
  const florin = new Florin({ baseUrl: 'http://service.example', apiKey: 'k' })
  const assets = [
    { symbol: 'USDC', asset: TOKEN, decimals: 6, eip712: { name: 'USDC', version: '2' } },
  ]
  Object.assign(florin.networks, { list: async () => [{ network: NETWORK, assets }] })
  const extra = { facilitatorAddress: PAY_TO }
  const kinds = [{ x402Version: 2, scheme, network: NETWORK, extra }]
  Object.assign(florin.x402, {
    supported: async () => ({ kinds, extensions: [], signers: {} }),
    verify: async () => {
      await beforeVerdict()
      return { isValid: true }
    },
    settle,
  })
  const told: string[] = []
  const wall = paywall(florin, {
    ...{ amount: '0.01', asset: 'USDC', network: NETWORK, payTo: PAY_TO, scheme },
    onPaid: () => told.push('paid'),
    onUndelivered: (_, reason) => told.push(reason),
    onProblem: (code) => told.push(code),
  })
  const accepted = { scheme, network: NETWORK, amount: '10000', asset: TOKEN, payTo: PAY_TO }
  const payload = { signature: '0x12', permit2Authorization: { from: PAYER, nonce: '7' } }
  const proof = encodeHeader({ x402Version: 2, accepted, payload })
  return { wall, paying: { 'payment-signature': proof }, told }
}

/** A handler that fails before it has answered anything. */
export const fails = (): never => {
  throw new Error('mine')
}

/** The ways in which one fails, with the scheme that it was paid by. */
export const FAILURES = [
  ['throws', 'exact', fails],
  ['throws', 'upto', fails],
  ['rejects', 'exact', async () => fails()],
  ['rejects', 'upto', async () => fails()],
] as const

/** What the seller hears of it: by `exact` the money was taken before. */
export const HEARD_OF_FAILURE = {
  exact: ['paid', 'handler_threw', 'the handler answered 500'],
  upto: ['handler_threw'],
} as const
