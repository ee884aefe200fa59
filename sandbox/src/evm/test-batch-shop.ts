import type { Address, Hex } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { x402Client } from '@x402/core/client'
import type { x402ResourceServer } from '@x402/core/server'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { BatchSettlementEvmScheme as ClientScheme } from '@x402/evm/batch-settlement/client'
import type { BatchSettlementEvmSchemeOptions } from '@x402/evm/batch-settlement/client'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'
import { EVM_NETWORK, USDC_ADDRESS } from './chain-facts.ts'
import type { Escrow } from './test-batch-scene.ts'
import { aStockBuyer } from './test-stock-buyer.ts'

/** Base units of USDC: what a request costs, what the stock server asks to deposit (ten times that), and what a buyer has. */
export const PRICE = 1_000n
export const DEPOSIT = 10_000n
export const FUNDS = 10_000_000n
const URL_SOLD = 'https://shop.example/report'

/** A shop on the stock server, whoever settles for it. */
export interface BatchShop {
  readonly receiver: Address
  readonly server: x402ResourceServer
}

/** The stock client with an account of its own; `warm` has approved Permit2 before. */
export async function aBatchBuyer(
  sandbox: SandboxHandle,
  kind: 'warm' | 'cold',
  options: BatchSettlementEvmSchemeOptions = {},
) {
  const { account, signer } = await aStockBuyer(sandbox, kind)
  const scheme = new ClientScheme(signer, { salt: generatePrivateKey(), ...options })
  return { account, scheme, client: new x402Client().register(EVM_NETWORK, scheme) }
}
export type BatchBuyer = Awaited<ReturnType<typeof aBatchBuyer>>

/** What the shop asks for one request. */
export async function batchTerms(
  { server, receiver }: BatchShop,
  method?: 'permit2',
): Promise<PaymentRequirements> {
  const [terms] = await server.buildPaymentRequirements({
    ...{ scheme: 'batch-settlement', network: EVM_NETWORK, payTo: receiver },
    maxTimeoutSeconds: 3_600,
    price: {
      ...{ asset: USDC_ADDRESS, amount: String(PRICE) },
      extra: {
        ...{ name: 'USDC', version: '2' },
        ...(method === undefined ? {} : { assetTransferMethod: method }),
      },
    },
  })
  if (terms === undefined) throw new Error('the stock server makes no requirements')
  return terms
}

/** What the client pays with, and the channel that it is of. */
export async function batchPayment(
  escrow: Escrow,
  shop: BatchShop,
  buyer: BatchBuyer,
  method?: 'permit2',
): Promise<{
  readonly payment: PaymentPayload
  readonly terms: PaymentRequirements
  readonly id: Hex
}> {
  const terms = await batchTerms(shop, method)
  const id = await escrow.idOf(buyer.scheme.buildChannelConfig(terms))
  const payment = await buyer.client.createPaymentPayload({
    ...{ x402Version: 2, accepts: [terms], resource: { url: URL_SOLD } },
    extensions: method === undefined ? {} : { eip2612GasSponsoring: { info: {}, schema: {} } },
  })
  return { payment, terms, id }
}

/** One paid request, from the demand to what the client learns of the answer. Throws where the payment is not good. */
export async function buyFrom(
  escrow: Escrow,
  shop: BatchShop,
  buyer: BatchBuyer,
  method?: 'permit2',
) {
  const { payment, terms, id } = await batchPayment(escrow, shop, buyer, method)
  const verified = await shop.server.verifyPayment(payment, terms)
  if (!verified.isValid) throw new Error(`not verified: ${verified.invalidReason ?? ''}`)
  const settled = await shop.server.settlePayment(payment, terms)
  await buyer.client.handlePaymentResponse({
    ...{ paymentPayload: payment, requirements: terms, settleResponse: settled },
  })
  return { id, settled, type: payment.payload['type'] }
}

/** The client's request for its money back, as `refund` of the stock client makes it, without HTTP between. */
export async function askBack(shop: BatchShop, buyer: BatchBuyer, amount?: string) {
  const terms = await batchTerms(shop)
  let answer: unknown
  const facing = async (_: unknown, init?: { headers?: unknown }): Promise<Response> => {
    const sent = new Headers(init?.headers as Record<string, string>).get('PAYMENT-SIGNATURE')
    if (sent === null) {
      const required = await shop.server.createPaymentRequiredResponse([terms], { url: URL_SOLD })
      return new Response('{}', { status: 402, headers: { 'PAYMENT-REQUIRED': base64(required) } })
    }
    const payment = JSON.parse(Buffer.from(sent, 'base64').toString()) as PaymentPayload
    await shop.server.verifyPayment(payment, terms)
    answer = await shop.server.settlePayment(payment, terms)
    return new Response('{}', { headers: { 'PAYMENT-RESPONSE': base64(answer) } })
  }
  await buyer.scheme.refund(URL_SOLD, {
    fetch: facing,
    ...(amount === undefined ? {} : { amount }),
  })
  return answer
}
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')
