import { generateKeyPairSigner } from '@solana/kit'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { until } from '@florin/server/kernel/until.ts'
import { codeOf, detailsOf } from './actors/client.ts'
import type { Reply } from './actors/client.ts'
import { offerOf, PRICE } from './actors/seller.ts'
import type { SettleBody } from './actors/seller.ts'
import { solanaCustodian } from './actors/self-custodian.ts'
import { aSolanaPayer, aSolanaPurchase, solanaPurchaseFrom } from './actors/solana-purchase.ts'
import { lifetimeOf, signV1 } from './actors/version-one.ts'
import { openWorld } from './actors/world.ts'
import type { World } from './actors/world.ts'

const LANDS = { seconds: 40 }
const FAILED = 'invalid_exact_svm_transaction_simulation_failed'

describe('a seller is told what a payment on Solana lacks, whichever wallet settles it', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ solana: true })
  }, 240_000)
  afterEach(() => world.sandbox.clearFaults())
  afterAll(() => world.stop(), 240_000)

  const receive = (bought: SettleBody): Promise<Reply> =>
    world.client().post('/payment/receive', offerOf(bought))
  const build = (bought: SettleBody): Promise<Reply> =>
    world.client().post('/transaction/receive', offerOf(bought))
  const said = (reply: Reply) => [codeOf(reply), detailsOf(reply)['reason']]

  test('the money of its buyer', async () => {
    const more = 2_000_000n
    const offer = (bought: SettleBody) => ({ ...offerOf(bought), expectedAmount: '2' })
    const payer = await aSolanaPayer(world)
    const ours = await solanaPurchaseFrom(world, payer, more)
    const answer = await world.client().post('/payment/receive', offer(ours))
    expect(said(answer)).toEqual(['INSUFFICIENT_BALANCE', FAILED])
    const { address } = await solanaCustodian(world.sandbox)
    const own = await solanaPurchaseFrom(world, payer, more, address)
    const built = await world.client().post('/transaction/receive', offer(own))
    expect(said(built)).toEqual(['INSUFFICIENT_BALANCE', FAILED])
  })

  test('an account of its receiver for the token', async () => {
    const payer = await aSolanaPayer(world)
    const nobody = world.newAddress('solana')
    const ours = await solanaPurchaseFrom(world, payer, PRICE, nobody, 'service')
    expect(said(await receive(ours))).toEqual(['INVALID_RECIPIENT', FAILED])
    const invalidMessage = expect.stringContaining('no account for this token')
    const { body: verified } = await world.client().post('/x402/verify', ours.body)
    expect(verified).toMatchObject({ isValid: false, invalidReason: FAILED, invalidMessage })
    const { body: settled } = await world.client().post('/x402/settle', ours.body)
    expect(settled).toMatchObject({ success: false, errorMessage: invalidMessage })
  })

  test('a version that the scheme takes', async () => {
    const [ours, signer] = [await aSolanaPurchase(world), await generateKeyPairSigner()]
    const { wire } = await signV1(signer, [], await lifetimeOf(world.sandbox))
    const payload = { transaction: wire }
    const later = { ...ours.body, paymentPayload: { ...ours.body.paymentPayload, payload } }
    const reason = 'invalid_exact_svm_payload_transaction_could_not_be_decoded'
    expect(said(await receive({ ...ours, body: later }))).toEqual(['INVALID_PAYMENT_PROOF', reason])
    const { body } = await world.client().post('/x402/verify', later)
    expect(body).toMatchObject({
      isValid: false,
      invalidReason: reason,
      invalidMessage: expect.stringContaining('version 1 is not taken'),
    })
  })

  test('time: only where nobody else can have sent it a fresh one is asked for', async () => {
    const ours = await aSolanaPurchase(world)
    const { address } = await solanaCustodian(world.sandbox)
    const own = await aSolanaPurchase(world, address)
    await world.sandbox.fault({ chain: 'solana', kind: 'expire' })
    expect(said(await receive(ours))).toEqual(['INVALID_PAYMENT_PROOF', FAILED])
    expect(said(await build(own))).toEqual(['PAYMENT_VERIFICATION_FAILED', FAILED])
  })

  test('nothing, when the seller has sent it: no buyer is asked to pay again', async () => {
    const seller = await solanaCustodian(world.sandbox)
    const bought = await aSolanaPurchase(world, seller.address)
    const { transaction } = bought.body.paymentPayload['payload'] as { transaction: string }
    const paid = (await world.balanceOf(seller.address, 'USDC')) + PRICE
    await seller.broadcast(await seller.sign(transaction))
    await until(
      'it is in',
      async () => (await world.balanceOf(seller.address, 'USDC')) === paid,
      LANDS,
    )
    expect(codeOf(await build(bought))).toBe('DUPLICATE_SETTLEMENT')
  })
})
