import { encodeDeployData, getAddress, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testPayer } from '@florin/server/chains/evm/test-payer.ts'
import type { TestPayer } from '@florin/server/chains/evm/test-payer.ts'
import type { Address } from '@florin/server/chains/chain.ts'
import artifact from '../sandbox/contracts/artifacts/TestWallet.json' with { type: 'json' }
import { codeOf } from './actors/client.ts'
import type { Reply } from './actors/client.ts'
import { encoded, receive } from './actors/receiver.ts'
import { aPurchase, PRICE, purchaseFrom, settle } from './actors/seller.ts'
import type { Purchase } from './actors/seller.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

const ABI = parseAbi(['constructor(uint8 trick, address owner)'])
/** Of the contract's tricks. */
const [HONEST, LIES_IN_SIMULATIONS] = [0, 3]
const BAD = 'invalid_exact_evm_signature'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())

async function rpc(method: string, ...params: readonly unknown[]): Promise<string> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const reply = await fetch(world.sandbox.rpcUrl, { method: 'POST', body })
  return String(Object(await reply.json()).result)
}

/** The code of an account that belongs to the owner. */
async function codeOfWallet({ address }: TestPayer, trick: number): Promise<string> {
  const data = encodeDeployData({
    abi: ABI,
    bytecode: `0x${artifact.bytecode.slice(2)}`,
    args: [trick, getAddress(address)],
  })
  return rpc('eth_call', { data }, 'latest')
}

/** Such an account at an address of its own, with one USDC. */
async function walletOf(owner: TestPayer, trick = HONEST): Promise<Address> {
  const { address } = testPayer()
  await rpc('anvil_setCode', address, await codeOfWallet(owner, trick))
  await world.sandbox.fund(address, 'USDC', '1')
  return address
}

/** A purchase of an account with code. */
async function aWalletPurchase(): Promise<Purchase> {
  const owner = testPayer()
  return purchaseFrom(world, owner, { from: await walletOf(owner) })
}

/** The same payment under a signature that nobody made. */
function garbled({ body, ...purchase }: Purchase): Purchase {
  const { payload, ...payment } = body.paymentPayload
  const changed = { ...Object(payload), signature: `0x${'11'.repeat(70)}` }
  return { ...purchase, body: { ...body, paymentPayload: { ...payment, payload: changed } } }
}

function verify(purchase: Purchase): Promise<Reply> {
  return world.client().post('/x402/verify', purchase.body)
}

function receiveIt({ body, payTo }: Purchase): Promise<Reply> {
  return receive(world.client(), {
    walletAddress: payTo,
    paymentProof: encoded(body.paymentPayload),
    expectedAmount: 0.01,
    timeout: 20,
  })
}

describe('an account with code', () => {
  test('is verified and pays once, and its seller has one success', async () => {
    const purchase = await aWalletPurchase()
    expect((await verify(purchase)).body).toMatchObject({ isValid: true })
    const replies = await Promise.all(Array.from({ length: 5 }, () => settle(world, purchase)))
    expect(replies.filter(({ body }) => body['success'] === true)).toHaveLength(1)
    expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(PRICE)
    expect((await verify(purchase)).body).toMatchObject({
      isValid: false,
      invalidReason: 'invalid_exact_evm_nonce_already_used',
    })
  })

  test('pays over the receiving API as well', async () => {
    const purchase = await aWalletPurchase()
    expect((await receiveIt(purchase)).status).toBe(200)
    expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(PRICE)
    expect(codeOf(await receiveIt(purchase))).toBe('DUPLICATE_SETTLEMENT')
  })

  test('shares its transaction with nobody', async () => {
    const [wallet, ...others] = await Promise.all([
      aWalletPurchase(),
      ...Array.from({ length: 6 }, () => aPurchase(world)),
    ])
    if (wallet === undefined) throw new Error('no purchase')
    const [own, ...theirs] = await Promise.all(
      [wallet, ...others].map((purchase) => settle(world, purchase)),
    )
    expect(own?.body['success']).toBe(true)
    expect(theirs.every(({ body }) => body['success'] === true)).toBe(true)
    const hashes = theirs.map(({ body }) => body['transaction'])
    expect(hashes).not.toContain(own?.body['transaction'])
  })

  test('is not believed by a signature that nobody made, before or after it has paid', async () => {
    const purchase = await aWalletPurchase()
    const refused = { success: false, errorReason: BAD, transaction: '' }
    expect((await verify(garbled(purchase))).body).toMatchObject({ invalidReason: BAD })
    expect((await settle(world, garbled(purchase))).body).toMatchObject(refused)
    expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(0n)
    expect((await settle(world, purchase)).body).toMatchObject({ success: true })
    expect((await settle(world, garbled(purchase))).body).toMatchObject(refused)
    expect(codeOf(await receiveIt(garbled(purchase)))).toBe('INVALID_PAYMENT_PROOF')
    expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(PRICE)
  })

  test('that takes back on chain what it said before pays nobody, until it keeps its word', async () => {
    const owner = testPayer()
    const wallet = await walletOf(owner, LIES_IN_SIMULATIONS)
    const purchase = await purchaseFrom(world, owner, { from: wallet })
    expect((await settle(world, purchase)).body).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_evm_transaction_failed',
    })
    expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(0n)
    await rpc('anvil_setCode', wallet, await codeOfWallet(owner, HONEST))
    expect((await settle(world, purchase)).body).toMatchObject({ success: true })
    expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(PRICE)
  })
})
