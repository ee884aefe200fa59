import { randomBytes } from 'node:crypto'
import { zeroAddress } from 'viem'
import type { Address } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server'
import type { SettleResponse } from '@x402/core/types'
import type { BatchSettlementEvmSchemeOptions } from '@x402/evm/batch-settlement/client'
import { BatchSettlementEvmScheme as ServerScheme } from '@x402/evm/batch-settlement/server'
import { generatePaymentId } from '@x402/extensions/payment-identifier'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  aBatchBuyer,
  askBack,
  batchPayment,
  buyFrom,
  DEPOSIT,
  FUNDS,
  PRICE,
} from '../sandbox/src/evm/test-batch-shop.ts'
import type { BatchBuyer, BatchShop } from '../sandbox/src/evm/test-batch-shop.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { openEscrow } from '../sandbox/src/evm/test-batch-scene.ts'
import type { Escrow } from '../sandbox/src/evm/test-batch-scene.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

const NETWORK = 'eip155:84532'

let world: World
let escrow: Escrow
beforeAll(async () => {
  world = await openWorld()
  escrow = openEscrow(world.sandbox)
})
afterAll(() => world.stop())

interface Till extends BatchShop {
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

const aBuyer = (kind: 'warm' | 'cold', options: BatchSettlementEvmSchemeOptions = {}) =>
  aBatchBuyer(world.sandbox, kind, options)
const buy = (till: Till, buyer: BatchBuyer, method?: 'permit2') =>
  buyFrom(escrow, till, buyer, method)
const payment = (till: Till, buyer: BatchBuyer) => batchPayment(escrow, till, buyer)
type Paying = Awaited<ReturnType<typeof payment>>

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
    const { payment: made, terms, id } = await payment(till, buyer)
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

  test('of two deposits under one name of their payer one is made, and vouchers keep their own', async () => {
    const till = await aTill()
    const buyer = await aBuyer('cold')
    const extensions = {
      'payment-identifier': { info: { required: false, id: generatePaymentId() } },
    }
    const ask = async (path: 'verify' | 'settle', { payment: made, terms }: Paying) =>
      world.client().post(`/x402/${path}`, {
        ...{ x402Version: 2, paymentRequirements: terms },
        paymentPayload: { ...made, extensions },
      })
    const first = await payment(till, buyer)
    // Signed anew by a buyer who heard nothing of the first.
    const second = await payment(till, buyer)
    const told = (await ask('settle', first)).body
    expect(told).toMatchObject({ success: true })
    expect((await ask('verify', second)).body).toMatchObject({
      ...{ isValid: false, invalidReason: 'payment_identifier_conflict' },
    })
    expect((await ask('settle', second)).body).toMatchObject({
      ...{ success: false, errorReason: 'payment_identifier_conflict', transaction: '' },
    })
    expect((await escrow.channel(first.id))[0]).toBe(DEPOSIT)

    await buyer.client.handlePaymentResponse({
      ...{ paymentPayload: first.payment, requirements: first.terms },
      settleResponse: told as Fields as SettleResponse,
    })
    const voucher = await payment(till, buyer)
    expect(voucher.payment.payload).toMatchObject({ type: 'voucher' })
    expect((await ask('verify', voucher)).body).toMatchObject({ isValid: true })
  })

  test('under an idempotency key a success is to be had again', async () => {
    const till = await aTill()
    const { payment: made, terms } = await payment(till, await aBuyer('cold'))
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
