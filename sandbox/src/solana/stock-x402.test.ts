import { x402Facilitator } from '@x402/core/facilitator'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { SettlementCache } from '@x402/svm'
import { ExactSvmScheme as ExactFacilitator } from '@x402/svm/exact/facilitator'
import { ExactSvmScheme as ExactServer } from '@x402/svm/exact/server'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { startSandbox } from '../../../e2e/actors/sandbox.ts'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'
import { until } from '../../../server/src/kernel/until.ts'
import { AMOUNT, NETWORK, NETWORK_V1, openX402Shop } from './test-x402.ts'

const NOTHING = [0n, 0n]

let sandbox: SandboxHandle
let shop: Awaited<ReturnType<typeof openX402Shop>>
beforeAll(async () => {
  sandbox = await startSandbox({ faults: true })
  shop = await openX402Shop(sandbox)
})
afterAll(async () => {
  await sandbox.stop()
})
// The package writes what it could not settle to standard error.
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined))
afterEach(() => vi.restoreAllMocks())

describe('@x402/svm, exact', () => {
  test('version 2: the money moves once, and the facilitator pays the fee', async () => {
    const accepted = shop.requirements()
    const facilitator = shop.openFacilitator()
    const lamports = await shop.lamportsOf(shop.feePayer)
    const once = await shop.moved(async () => {
      const payment = await shop.pay(accepted)
      const verdict = { isValid: true, payer: shop.buyer.address }
      expect(await facilitator.verify(payment, accepted)).toMatchObject(verdict)
      const settled = await facilitator.settle(payment, accepted)
      expect(settled).toMatchObject({ success: true, network: NETWORK, payer: shop.buyer.address })
      const transaction = await shop.client.raw('getTransaction', [
        settled.transaction,
        { commitment: 'confirmed', maxSupportedTransactionVersion: 0 },
      ])
      // Two signatures, and 20,000 units at a millionth of a lamport.
      expect(transaction.result).toMatchObject({ meta: { err: null, fee: 10_001 } })
    })
    expect(once).toEqual([AMOUNT, AMOUNT])
    expect(lamports - (await shop.lamportsOf(shop.feePayer))).toBe(10_001n)
  })

  test('version 1: the same over its network name', async () => {
    const facilitator = shop.openFacilitator()
    const once = await shop.moved(async () => {
      const { payment, accepted } = await shop.payV1()
      expect(await facilitator.verify(payment, accepted)).toMatchObject({ isValid: true })
      const settled = await facilitator.settle(payment, accepted)
      expect(settled).toMatchObject({
        success: true,
        network: NETWORK_V1,
        payer: shop.buyer.address,
      })
    })
    expect(once).toEqual([AMOUNT, AMOUNT])
  })

  test('says what it supports', () => {
    const extra = { feePayer: shop.feePayer.address }
    expect(shop.openFacilitator().getSupported().kinds).toEqual(
      expect.arrayContaining([
        { x402Version: 2, scheme: 'exact', network: NETWORK, extra },
        { x402Version: 1, scheme: 'exact', network: NETWORK_V1, extra },
      ]),
    )
  })

  test('a server asks for dollars and hands its blockhash over', async () => {
    const server = new ExactServer({ rpcUrl: shop.rpcUrl })
    const price = await server.parsePrice('$0.25', NETWORK)
    expect(price).toMatchObject({ amount: String(AMOUNT), asset: sandbox.solana.usdc })
    const kind = { x402Version: 2, scheme: 'exact', network: NETWORK } as const
    const extra = { feePayer: shop.feePayer.address }
    const accepted = await server.enhancePaymentRequirements(
      shop.requirements({ amount: price.amount }),
      { ...kind, extra },
      [],
    )
    expect(accepted.extra).toMatchObject({ ...extra, recentBlockhash: expect.any(String) })
    const once = await shop.moved(async () => {
      const settled = await shop.openFacilitator().settle(await shop.pay(accepted), accepted)
      expect(settled).toMatchObject({ success: true })
    })
    expect(once).toEqual([AMOUNT, AMOUNT])
  })

  test('ten payments at once all settle', async () => {
    const facilitator = shop.openFacilitator()
    const accepted = shop.requirements({ amount: '1000' })
    const all = await shop.moved(async () => {
      const payments = await Promise.all(Array.from({ length: 10 }, () => shop.pay(accepted)))
      const settled = await Promise.all(payments.map((one) => facilitator.settle(one, accepted)))
      expect(settled.map(({ success }) => success)).toEqual(Array.from(settled, () => true))
      expect(new Set(settled.map(({ transaction }) => transaction)).size).toBe(10)
    })
    expect(all).toEqual([10_000n, 10_000n])
  })
})

describe('a payment that was settled', () => {
  test('is refused by who settled it, by everybody else, and after its lifetime', async () => {
    const accepted = shop.requirements()
    const payment = await shop.pay(accepted)
    const facilitator = shop.openFacilitator()
    expect(await facilitator.settle(payment, accepted)).toMatchObject({ success: true })
    const again = await shop.moved(async () => {
      expect(await facilitator.settle(payment, accepted)).toEqual({
        success: false,
        network: NETWORK,
        transaction: '',
        errorReason: 'duplicate_settlement',
        payer: shop.buyer.address,
      })
      await refused(payment, accepted, 'Simulation failed: "AlreadyProcessed"')
      await sandbox.fault({ chain: 'solana', kind: 'expire' })
      await refused(payment, accepted, 'Simulation failed: "BlockhashNotFound"')
    })
    expect(again).toEqual(NOTHING)
  })

  test('counts for both versions of the protocol', async () => {
    const { payment, accepted } = await shop.payV1()
    const facilitator = shop.openFacilitator()
    const asVersion2 = { x402Version: 2, payload: payment.payload, accepted: shop.requirements() }
    const settled = await Promise.all([
      facilitator.settle(payment, accepted),
      facilitator.settle(asVersion2, shop.requirements()),
    ])
    expect(settled.map(({ errorReason }) => errorReason)).toEqual([
      undefined,
      'duplicate_settlement',
    ])
  })
})

/** A facilitator that has never heard of it says why it does not settle it. */
async function refused(
  payment: PaymentPayload,
  accepted: PaymentRequirements,
  message: string,
): Promise<void> {
  const reason = 'invalid_exact_svm_transaction_simulation_failed'
  const facilitator = shop.openFacilitator()
  expect(await facilitator.verify(payment, accepted)).toMatchObject({
    isValid: false,
    invalidReason: reason,
    invalidMessage: message,
  })
  expect(await facilitator.settle(payment, accepted)).toMatchObject({
    success: false,
    transaction: '',
    errorReason: reason,
  })
}

describe('a payment that must not settle', () => {
  test.each([
    ['of another amount', { amount: '250001' }, 'payload_amount_mismatch'],
    ['of a smaller amount', { amount: '1' }, 'payload_amount_mismatch'],
    ['to somebody else', { payTo: 'self' }, 'payload_recipient_mismatch'],
    ['in another token', { asset: 'other' }, 'payload_mint_mismatch'],
    ['on another network', { network: 'solana:mainnet' as const }, 'network_mismatch'],
    ['without its memo', { extra: { memo: 'order 7' } }, 'payload_memo_mismatch'],
    ['for a stranger to pay', { extra: { feePayer: 'self' } }, 'fee_payer_not_managed'],
    ['for nobody to pay', { extra: { feePayer: '' } }, 'payload_missing_fee_payer'],
  ])('%s is named, and nothing moves', async (_, change, reason) => {
    const payment = await shop.pay(shop.requirements())
    const meant = (value: string | undefined): string | undefined =>
      value === 'self' || value === 'other' ? shop.buyer.address : value
    const { payTo, asset } = change as { payTo?: string; asset?: string }
    const { feePayer: payer, ...extra } = (change as { extra?: Record<string, string> }).extra ?? {}
    const wanted = shop.requirements({
      ...change,
      ...(payTo === undefined ? {} : { payTo: meant(payTo) ?? '' }),
      ...(asset === undefined ? {} : { asset: meant(asset) ?? '' }),
      extra: { feePayer: meant(payer) ?? shop.feePayer.address, ...extra },
    })
    const scheme = new ExactFacilitator(shop.facilitatorSigner(), new SettlementCache())
    expect(
      await shop.moved(async () => {
        const verdict = await scheme.verify(payment, wanted)
        expect(verdict.isValid).toBe(false)
        expect(verdict.invalidReason).toContain(`invalid_exact_svm_${reason}`)
        const { success, errorReason, transaction } = await scheme.settle(payment, wanted)
        expect({ success, errorReason, transaction }).toEqual({
          success: false,
          errorReason: verdict.invalidReason,
          transaction: '',
        })
      }),
    ).toEqual(NOTHING)
  })

  test('because its blockhash is over is told by the rehearsal', async () => {
    const accepted = shop.requirements()
    const payment = await shop.pay(accepted)
    await sandbox.fault({ chain: 'solana', kind: 'expire' })
    expect(
      await shop.moved(() => refused(payment, accepted, 'Simulation failed: "BlockhashNotFound"')),
    ).toEqual(NOTHING)
  })

  test('because there is no money is told by the rehearsal', async () => {
    const poor = await shop.client.newKey()
    await sandbox.fund(poor.address, 'USDC', '0.1')
    const accepted = shop.requirements()
    const reason = { InstructionError: ['2', { Custom: '1' }] }
    await refused(
      await shop.pay(accepted, poor),
      accepted,
      `Simulation failed: ${JSON.stringify(reason)}`,
    )
    expect(await shop.usdcOf(poor.address)).toBe(100_000n)
  })

  test('because the seller has no account is told by the rehearsal', async () => {
    const accepted = shop.requirements({ payTo: (await shop.client.newKey()).address })
    const reason = { InstructionError: ['2', 'InvalidAccountData'] }
    await refused(
      await shop.pay(accepted),
      accepted,
      `Simulation failed: ${JSON.stringify(reason)}`,
    )
  })

  test('because somebody changed it is found by its signature', async () => {
    const accepted = shop.requirements()
    const payment = await shop.pay(accepted)
    const bytes = Buffer.from(String(payment.payload['transaction']), 'base64')
    bytes[bytes.length - 5] = (bytes[bytes.length - 5] ?? 0) ^ 1
    const changed = { ...payment, payload: { transaction: bytes.toString('base64') } }
    expect(await shop.openFacilitator().verify(changed, accepted)).toMatchObject({
      isValid: false,
      invalidReason: 'invalid_exact_svm_payload_signature_invalid',
    })
  })

  test('two of one balance both verify, and the chain lets one of them through', async () => {
    const poor = await shop.client.newKey()
    await sandbox.fund(poor.address, 'USDC', '0.4')
    const accepted = shop.requirements()
    const lamports = await shop.lamportsOf(shop.feePayer)
    let sent = 0
    const signer = shop.facilitatorSigner()
    const counting = {
      ...signer,
      async sendTransaction(wire: string, network: string) {
        const signature = await signer.sendTransaction(wire, network)
        sent += 1
        return signature
      },
    }
    const facilitator = new x402Facilitator().register(NETWORK, new ExactFacilitator(counting))
    const payments = [await shop.pay(accepted, poor), await shop.pay(accepted, poor)]
    await sandbox.fault({ chain: 'solana', kind: 'stop-blocks' })
    const settling = Promise.all(payments.map((one) => facilitator.settle(one, accepted)))
    await until('both are on their way', async () => sent === 2, { seconds: 30 })
    await sandbox.fault({ chain: 'solana', kind: 'resume-blocks' })
    const settled = await settling
    expect(settled.map(({ success }) => success).toSorted()).toEqual([false, true])
    expect(settled.find(({ success }) => !success)).toMatchObject({
      errorReason: 'invalid_exact_svm_transaction_failed',
      errorMessage: expect.stringContaining('Transaction failed onchain'),
      transaction: expect.stringMatching(/^[1-9A-Z]{80,90}$/i),
    })
    expect(await shop.usdcOf(poor.address)).toBe(150_000n)
    // The failure was charged like the success.
    expect(lamports - (await shop.lamportsOf(shop.feePayer))).toBe(20_002n)
  })
})
