import { randomBytes } from 'node:crypto'
import { zeroAddress } from 'viem'
import type { Address } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { x402Client } from '@x402/core/client'
import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { BatchSettlementEvmScheme as ClientScheme } from '@x402/evm/batch-settlement/client'
import type { BatchSettlementEvmSchemeOptions } from '@x402/evm/batch-settlement/client'
import { BatchSettlementEvmScheme as ServerScheme } from '@x402/evm/batch-settlement/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openEscrow } from '../sandbox/src/evm/test-batch-scene.ts'
import type { Escrow } from '../sandbox/src/evm/test-batch-scene.ts'
import { aStockBuyer } from '../sandbox/src/evm/test-stock-buyer.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

const NETWORK = 'eip155:84532'
const PRICE = 1_000n
/** What the stock server asks for: ten times the price. */
const DEPOSIT = 10_000n
const FUNDS = 10_000_000n

let world: World
let escrow: Escrow
beforeAll(async () => {
  world = await openWorld()
  escrow = openEscrow(world.sandbox)
})
afterAll(() => world.stop())

interface Till {
  readonly receiver: Address
  readonly server: x402ResourceServer
  readonly scheme: ServerScheme
  readonly facilitator: HTTPFacilitatorClient
}

/** A shop on the stock server, with a receiver and an authorizer of its own, that has its payments settled by the service. */
async function aTill(): Promise<Till> {
  const receiver = privateKeyToAccount(generatePrivateKey()).address
  const authorizer = privateKeyToAccount(generatePrivateKey())
  const { baseUrl, apiKeys } = world.service()
  const headers = { Authorization: `Bearer ${apiKeys.enterprise}` }
  const facilitator = new HTTPFacilitatorClient({
    url: `${baseUrl}/x402`,
    createAuthHeaders: async () =>
      await Promise.resolve({ verify: headers, settle: headers, supported: headers }),
  })
  const scheme = new ServerScheme(receiver, { receiverAuthorizerSigner: authorizer })
  const server = new x402ResourceServer(facilitator).register(NETWORK, scheme)
  await server.initialize()
  return { receiver, server, scheme, facilitator }
}

async function aBuyer(kind: 'warm' | 'cold', options: BatchSettlementEvmSchemeOptions = {}) {
  const { account, signer } = await aStockBuyer(world.sandbox, kind)
  const scheme = new ClientScheme(signer, { salt: generatePrivateKey(), ...options })
  return { account, scheme, client: new x402Client().register(NETWORK, scheme) }
}
type Buyer = Awaited<ReturnType<typeof aBuyer>>

async function termsOf(till: Till, method?: 'permit2'): Promise<PaymentRequirements> {
  const [terms] = await till.server.buildPaymentRequirements({
    ...{ scheme: 'batch-settlement', network: NETWORK, payTo: till.receiver },
    maxTimeoutSeconds: 3_600,
    price: {
      ...{ asset: world.sandbox.usdc, amount: String(PRICE) },
      extra: {
        ...{ name: 'USDC', version: '2' },
        ...(method === undefined ? {} : { assetTransferMethod: method }),
      },
    },
  })
  if (terms === undefined) throw new Error('the stock server makes no requirements')
  return terms
}

async function payment(till: Till, buyer: Buyer, method?: 'permit2') {
  const terms = await termsOf(till, method)
  const made = await buyer.client.createPaymentPayload({
    ...{ x402Version: 2, accepts: [terms], resource: { url: 'https://shop.example/report' } },
    extensions: method === undefined ? {} : { eip2612GasSponsoring: { info: {}, schema: {} } },
  })
  return { made, terms, id: await escrow.idOf(buyer.scheme.buildChannelConfig(terms)) }
}

/** One paid request, from the demand to what the client learns of the answer. */
async function buy(till: Till, buyer: Buyer, method?: 'permit2') {
  const { made, terms, id } = await payment(till, buyer, method)
  expect(await till.server.verifyPayment(made, terms)).toMatchObject({ isValid: true })
  const settled = await till.server.settlePayment(made, terms)
  await buyer.client.handlePaymentResponse({
    ...{ paymentPayload: made, requirements: terms, settleResponse: settled },
  })
  return { id, settled, type: made.payload['type'] }
}

/** The client's request for its money back, as `refund` of the stock client makes it, without HTTP between. */
async function askBack(till: Till, buyer: Buyer, amount?: string) {
  const terms = await termsOf(till)
  let answer: unknown
  const facing = async (_: unknown, init?: { headers?: unknown }): Promise<Response> => {
    const sent = new Headers(init?.headers as Record<string, string>).get('PAYMENT-SIGNATURE')
    if (sent === null) {
      const required = await till.server.createPaymentRequiredResponse([terms], {
        url: 'https://shop.example/report',
      })
      return new Response('{}', { status: 402, headers: { 'PAYMENT-REQUIRED': base64(required) } })
    }
    const asked = JSON.parse(Buffer.from(sent, 'base64').toString()) as PaymentPayload
    await till.server.verifyPayment(asked, terms)
    answer = await till.server.settlePayment(asked, terms)
    return new Response('{}', { headers: { 'PAYMENT-RESPONSE': base64(answer) } })
  }
  await buyer.scheme.refund('https://shop.example/report', {
    fetch: facing,
    ...(amount === undefined ? {} : { amount }),
  })
  return answer
}
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')

test('the service says that it takes the scheme, and signs for no receiver', async () => {
  const { body } = await world.client().get('/x402/supported')
  expect(body['kinds']).toContainEqual({
    ...{ x402Version: 2, scheme: 'batch-settlement', network: NETWORK },
  })
})

describe('with the stock client and server', () => {
  test('deposits, spends, claims two channels at once, is paid and gives back', async () => {
    const till = await aTill()
    const [first, second] = [await aBuyer('cold'), await aBuyer('cold')]
    const deposited = await buy(till, first)
    expect(deposited).toMatchObject({
      type: 'deposit',
      settled: {
        ...{ success: true, amount: String(DEPOSIT) },
        extra: { channelState: { balance: String(DEPOSIT), totalClaimed: '0' } },
      },
    })
    await buy(till, second)
    for (let more = 0; more < 2; more += 1) {
      expect(await buy(till, first)).toMatchObject({ type: 'voucher', settled: { success: true } })
    }

    const manager = till.scheme.createChannelManager(
      till.facilitator,
      NETWORK,
      world.sandbox.usdc as Address,
    )
    expect(await manager.claim()).toMatchObject([{ vouchers: 2 }])
    expect(await escrow.channel(deposited.id)).toEqual([DEPOSIT, 3n * PRICE])
    await manager.settle()
    expect(await escrow.balanceOf(till.receiver)).toBe(4n * PRICE)
    await expect(manager.settle()).rejects.toThrow('nothing_to_settle')

    // One that is not yet claimed is claimed and the rest given back in one transaction.
    await buy(till, first)
    expect(await askBack(till, first, '500')).toMatchObject({ success: true, amount: '500' })
    expect(await escrow.channel(deposited.id)).toEqual([DEPOSIT - 500n, 4n * PRICE])
    expect(await askBack(till, first)).toMatchObject({
      ...{ success: true, amount: String(DEPOSIT - 500n - 4n * PRICE) },
    })
    expect(await escrow.balanceOf(first.account.address)).toBe(FUNDS - 4n * PRICE)
    await manager.settle()
    expect(await manager.refund()).toHaveLength(1)
    expect(await escrow.balanceOf(till.receiver)).toBe(5n * PRICE)
    expect(await escrow.balanceOf(second.account.address)).toBe(FUNDS - PRICE)
    await world.expectSound()
  })

  test.each(['warm', 'cold'] as const)('deposits by Permit2 from a %s wallet', async (kind) => {
    const till = await aTill()
    const buyer = await aBuyer(kind)
    expect(await buy(till, buyer, 'permit2')).toMatchObject({
      ...{ type: 'deposit', settled: { success: true, amount: String(DEPOSIT) } },
    })
    expect(await escrow.balanceOf(buyer.account.address)).toBe(FUNDS - DEPOSIT)
  })

  test.each<readonly [string, BatchSettlementEvmSchemeOptions]>([
    ['a key that the channel names', { voucherSigner: privateKeyToAccount(generatePrivateKey()) }],
    ['the payer, where it names none', { payerAuthorizer: zeroAddress }],
  ])('is claimed by vouchers of %s', async (_, options) => {
    const till = await aTill()
    const buyer = await aBuyer('cold', options)
    await buy(till, buyer)
    const { id } = await buy(till, buyer)
    await till.scheme
      .createChannelManager(till.facilitator, NETWORK, world.sandbox.usdc as Address)
      .claimAndSettle()
    expect(await escrow.channel(id)).toEqual([DEPOSIT, 2n * PRICE])
    expect(await escrow.balanceOf(till.receiver)).toBe(2n * PRICE)
  })
})

describe('once', () => {
  test('a deposit is made once and its success given once, however many ask at the same time', async () => {
    const till = await aTill()
    const buyer = await aBuyer('cold')
    const { made, terms, id } = await payment(till, buyer)
    const body = { x402Version: 2, paymentPayload: made, paymentRequirements: terms }
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => world.client().post('/x402/settle', body)),
    )
    expect(replies.filter(({ body: said }) => said['success'] === true)).toHaveLength(1)
    expect(new Set(replies.map(({ body: said }) => said['transaction'])).size).toBe(1)
    for (const { body: said } of replies) {
      if (said['success'] !== true) {
        expect(said).toMatchObject({
          errorReason: 'duplicate_settlement',
          payer: buyer.account.address,
        })
      }
    }
    expect((await escrow.channel(id))[0]).toBe(DEPOSIT)
    expect(await escrow.balanceOf(buyer.account.address)).toBe(FUNDS - DEPOSIT)
  })

  test('under an idempotency key a success is to be had again', async () => {
    const till = await aTill()
    const { made, terms } = await payment(till, await aBuyer('cold'))
    const body = { x402Version: 2, paymentPayload: made, paymentRequirements: terms }
    const headers = { 'idempotency-key': randomBytes(12).toString('hex') }
    const first = await world.client().post('/x402/settle', body, headers)
    expect(first.body).toMatchObject({ success: true })
    const again = await world.client().post('/x402/settle', body, headers)
    expect(again.body).toMatchObject({ success: true, transaction: first.body['transaction'] })
    const other = await world.client().post('/x402/settle', body)
    expect(other.body).toMatchObject({ success: false, errorReason: 'duplicate_settlement' })
  })

  test('a claim and a settlement that are asked for five times are one transaction each', async () => {
    const till = await aTill()
    const buyer = await aBuyer('cold')
    await buy(till, buyer)
    const sent: unknown[] = []
    const manager = till.scheme.createChannelManager(
      {
        ...till.facilitator,
        verify: till.facilitator.verify.bind(till.facilitator),
        getSupported: till.facilitator.getSupported.bind(till.facilitator),
        settle: async (asked, terms) => {
          const body = { x402Version: 2, paymentPayload: asked, paymentRequirements: terms }
          const replies = await Promise.all(
            Array.from({ length: 5 }, () => world.client().post('/x402/settle', body)),
          )
          expect(new Set(replies.map(({ body: said }) => JSON.stringify(said))).size).toBe(1)
          sent.push(replies[0]?.body)
          return replies[0]?.body as Awaited<ReturnType<typeof till.facilitator.settle>>
        },
      },
      NETWORK,
      world.sandbox.usdc as Address,
    )
    await manager.claimAndSettle()
    expect(sent).toMatchObject([{ success: true }, { success: true, amount: String(PRICE) }])
    expect(await escrow.balanceOf(till.receiver)).toBe(PRICE)
  })
})
