import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Address, Chain, SignedTransaction } from '../chain.ts'
import type { ExactAuthorization, ExactPayments } from '../exact.ts'
import { startTestChain } from './test-chain.ts'
import type { TestChain, TestWallet } from './test-chain.ts'
import { NATIVE, USDC } from './test-network.ts'
import { limit, PRICE, price } from './test-payment.ts'
import {
  paidBy,
  signedByOwner,
  smartDemand,
  testSmartWallet,
  withWalletPrograms,
} from './test-smart-wallet.ts'
import type { TestSmartWallet } from './test-smart-wallet.ts'

let world: TestChain
let chain: Chain
let exact: ExactPayments
let settler: TestWallet
beforeAll(async () => {
  world = await startTestChain()
  settler = await world.wallet(['native', '2'])
  ;({ chain, exact } = withWalletPrograms(world))
})
afterEach(() => world.sandbox.clearFaults())
afterAll(async () => {
  await world.sandbox.stop()
})

const inUnits = (amount: bigint) => `0.${String(amount).padStart(6, '0')}`

/** A wallet with so many base units, and whose owner has an account. */
async function funded(amount = PRICE): Promise<TestSmartWallet> {
  const wallet = testSmartWallet()
  await world.sandbox.fund(wallet.owner.address, 'USDC', '1')
  await world.sandbox.fund(wallet.address, 'USDC', inUnits(amount))
  return wallet
}

async function authorized(wallet: TestSmartWallet): Promise<ExactAuthorization> {
  const steps = [limit(60_000), price(1n), paidBy(wallet)]
  const payload = await signedByOwner(world, settler, steps, [wallet.owner])
  const read = exact.read(payload, smartDemand(wallet, settler.address))
  if (!read.ok) throw new Error(read.reason)
  return read.authorization
}

async function signed(authorization: ExactAuthorization): Promise<SignedTransaction> {
  const drafted = await exact.draft(authorization, settler.address)
  if (!drafted.ok) throw new Error(drafted.reason)
  return chain.sign(drafted.draft.terms, 0n, settler.signer)
}

const held = async (address: Address, asset = USDC) =>
  (await chain.balances(address, [asset])).amounts[0]

describe('a payment that a program makes for a wallet without a key', () => {
  test('is read, simulated, signed by the settler, and shown by the chain as what the wallet paid', async () => {
    const wallet = await funded()
    const authorization = await authorized(wallet)
    expect(authorization).toMatchObject({
      payer: wallet.address,
      payTo: wallet.owner.address,
      amount: PRICE,
      feePayer: settler.address,
    })
    expect(await exact.check(authorization)).toEqual({ ok: true })
    const before = await world.chain.balances(settler.address, [NATIVE])
    const { raw, hash } = await signed(authorization)
    await chain.broadcast([raw])
    await world.mined(hash)
    const [outcome] = await chain.outcomes([hash])
    expect(outcome).toMatchObject({
      state: 'mined',
      succeeded: true,
      transfers: [
        {
          asset: USDC.asset,
          from: wallet.address,
          to: wallet.owner.address,
          amount: PRICE,
          logIndex: 1_002,
        },
      ],
    })
    expect(await held(wallet.owner.address)).toBe(1_000_000n + PRICE)
    const after = await world.chain.balances(settler.address, [NATIVE])
    expect((before.amounts[0] ?? 0n) - (after.amounts[0] ?? 0n)).toBe(
      BigInt(authorization.stored['fee'] ?? ''),
    )
  })
})
