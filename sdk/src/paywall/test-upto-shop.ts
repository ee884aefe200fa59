import type { Clock } from '../clock.ts'
import type { X402SettleAnswer } from '../contract/x402-settle.ts'
import { Florin } from '../florin.ts'
import type { Admission } from './admission.ts'
import { openGate } from './gate.ts'
import { encodeHeader } from './header-json.ts'
import type { HeldAnswer } from './held.ts'
import type { PaywallOptions } from './price.ts'

export const NETWORK = 'eip155:84532'
const TOKEN = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const PAY_TO = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const PAYER = '0x1111111111111111111111111111111111111111'
export const MOST = {
  ...{ scheme: 'upto', network: NETWORK, amount: '100000' },
  ...{ asset: TOKEN, payTo: PAY_TO },
}
export const GOODS: HeldAnswer = {
  ...{ status: 200, headers: [['content-type', 'text/plain']], length: 5 },
  parts: [['goods', undefined]],
}
export const SETTLED: X402SettleAnswer = {
  ...{ success: true, transaction: '0xabc', network: NETWORK, payer: PAYER },
  extra: { paymentId: 'pay_1' },
}

/** What the service says of a payment that it did not settle now. */
export const said = (errorReason: string): X402SettleAnswer => ({
  ...SETTLED,
  success: false,
  errorReason,
})

/** The header of a payment that can be used once under its nonce. */
export function proofOf(nonce: string, from = PAYER): Record<string, string> {
  const payload = { signature: '0x12', permit2Authorization: { from, nonce } }
  const header = encodeHeader({ x402Version: 2, accepted: MOST, payload })
  return { 'payment-signature': header }
}

/** Time that never passes, or passes at once when somebody waits. */
export const clockOf = (passes: boolean): Clock => ({
  now: () => 0,
  sleep: (_, signal) =>
    passes
      ? Promise.resolve()
      : new Promise((resolve) => signal?.addEventListener('abort', () => resolve())),
  after: () => () => undefined,
})

/** Time that passes for all who wait when the test says so. */
export function openClock(): Clock & { pass(): void } {
  const waiting = new Set<() => void>()
  return {
    now: () => 0,
    sleep: (_, signal) =>
      new Promise((resolve) => {
        const end = () => {
          waiting.delete(end)
          resolve()
        }
        waiting.add(end)
        signal?.addEventListener('abort', end)
      }),
    after: () => () => undefined,
    pass: () => waiting.forEach((end) => end()),
  }
}

/** Lets everything go on that waits for nothing but its turn. */
export const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

interface SettleOptions {
  /** A try has gone out whose answer never came. */
  readonly onLost?: () => void
}
type Settle = (amount: string, options?: SettleOptions) => Promise<X402SettleAnswer>
export type Scene = ReturnType<typeof openScene>

/** A shop with a price of a tenth of a dollar at most. */
export function openScene(
  settle: Settle,
  more: Partial<PaywallOptions> & { verdict?: object } = {},
) {
  const { verdict = { isValid: true }, ...options } = more
  const florin = new Florin({ baseUrl: 'http://service.example', apiKey: 'k' })
  const eip712 = { name: 'USDC', version: '2' }
  const asset = { symbol: 'USDC', asset: TOKEN, decimals: 6, eip712 }
  const extra = { facilitatorAddress: PAY_TO }
  const amounts: string[] = []
  const looked: unknown[] = []
  const told: string[] = []
  Object.assign(florin.networks, { list: async () => [{ network: NETWORK, assets: [asset] }] })
  Object.assign(florin.x402, {
    supported: async () => ({
      kinds: ['exact', 'upto'].map((scheme) => ({
        ...{ x402Version: 2, scheme, network: NETWORK, extra },
      })),
      extensions: ['eip2612GasSponsoring'],
      signers: {},
    }),
    verify: async (question: unknown) => {
      looked.push(question)
      return verdict
    },
    settle: (question: { paymentRequirements: { amount: string } }, given?: SettleOptions) => {
      amounts.push(question.paymentRequirements.amount)
      return settle(question.paymentRequirements.amount, given)
    },
  })
  const gate = openGate(florin, {
    ...{ amount: '0.1', asset: 'USDC', network: NETWORK, payTo: PAY_TO, scheme: 'upto' },
    clock: clockOf(false),
    onPaid: ({ amount }) => told.push(`paid ${amount}`),
    onUndelivered: (_, reason) => told.push(reason),
    onProblem: (code) => told.push(code),
    ...options,
  })
  const ask = (headers = proofOf('7'), url = 'http://shop.example/report', method = 'GET') =>
    gate({ url, method, header: (name) => headers[name] })
  return { ask, amounts, looked, told }
}

/** A visit whose handler may run. */
export async function begin(admission: Promise<Admission>) {
  const { kind, ...rest } = await admission
  if (kind !== 'metered' || !('metered' in rest)) throw new Error(`not let in: ${kind}`)
  return rest.metered
}

/** An answer that may go out. */
export async function given(admission: Promise<Admission>) {
  const got = await admission
  if (got.kind !== 'kept') throw new Error(`nothing was given: ${outcomeOf(got)}`)
  return got
}

/** The status that is said, or what may go on. */
export const outcomeOf = (admission: Admission) =>
  admission.kind === 'said' ? admission.said.status : admission.kind
