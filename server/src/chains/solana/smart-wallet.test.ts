import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { until } from '../../kernel/until.ts'
import type { Address, Chain, SignedTransaction } from '../chain.ts'
import type { ExactAuthorization, ExactPayments } from '../exact.ts'
import { KNOWN_WALLET_PROGRAMS } from './smart-wallet-programs.ts'
import { startTestChain } from './test-chain.ts'
import { startForgetfulNode } from './test-forgetful-node.ts'
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

const SIMULATION = 'invalid_exact_svm_smart_wallet_simulation_failed'

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
  await give(wallet.address, amount)
  return wallet
}

/** Payments of different prices are different payments, also of the same moment. */
async function authorized(wallet: TestSmartWallet, tip = 1n): Promise<ExactAuthorization> {
  const steps = [limit(60_000), price(tip), paidBy(wallet)]
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

/** Base units come to an owner's account. */
async function give(address: Address, amount: bigint): Promise<void> {
  await world.sandbox.fund(address, 'USDC', inUnits(amount))
}

/** Settles and waits for the chain. */
async function landed({ raw, hash }: SignedTransaction) {
  await chain.broadcast([raw])
  return until(
    `${hash} is mined`,
    async () => {
      const [outcome] = await chain.outcomes([hash])
      return outcome?.state === 'mined' ? outcome : undefined
    },
    { seconds: 30 },
  )
}

const lamportsOf = async ({ address }: TestWallet) =>
  (await chain.balances(address, [NATIVE])).amounts[0] ?? 0n

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
    const before = await lamportsOf(settler)
    expect(await landed(await signed(authorization))).toMatchObject({
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
    expect(before - (await lamportsOf(settler))).toBe(BigInt(authorization.stored['fee'] ?? ''))
    const again = await exact.check(authorization)
    expect(again).toMatchObject({ ok: false, reason: SIMULATION })
    expect(await exact.draft(authorization, settler.address)).toEqual(again)
  })

  test('has one key for the bytes that were signed, whatever stands in our place', async () => {
    const wallet = testSmartWallet()
    const payload = await signedByOwner(world, settler, [paidBy(wallet)], [wallet.owner])
    const demand = smartDemand(wallet, settler.address)
    const bytes = Buffer.from(String(payload['transaction']), 'base64').fill(7, 1, 65)
    const [one, other] = [payload, { transaction: bytes.toString('base64') }].map((each) =>
      exact.read(each, demand),
    )
    expect(one?.ok).toBe(true)
    expect(other).toEqual(one)
  })

  test('is refused by who was not told to take it, and where its program is not listed', async () => {
    const wallet = testSmartWallet()
    const steps = [limit(60_000), price(1n), paidBy(wallet)]
    const payload = await signedByOwner(world, settler, steps, [wallet.owner])
    const demand = smartDemand(wallet, settler.address)
    expect(world.chain.exact?.read(payload, demand)).toMatchObject({
      reason: 'invalid_exact_svm_payload_no_transfer_instruction',
    })
    const listed = withWalletPrograms(world, KNOWN_WALLET_PROGRAMS)
    expect(listed.exact.read(payload, demand)).toMatchObject({
      reason: 'invalid_exact_svm_smart_wallet_program_not_allowed',
    })
  })

  test('is given to nobody’s own wallet to send', async () => {
    const authorization = await authorized(await funded())
    expect(await chain.selfCustody?.prepareSettlement(authorization, settler.address)).toEqual({
      ok: false,
      reason: 'unsupported_payload_type',
      message: 'The payer is a smart wallet; have the facilitator settle its payment.',
    })
  })
})

describe('nothing is signed for', () => {
  test.each([PRICE - 1n, PRICE + 1n])('a wallet that would pay %i', async (amount) => {
    const authorization = await authorized(await funded(amount))
    const refusal = { ok: false, reason: 'invalid_exact_svm_smart_wallet_transfer_mismatch' }
    expect(await exact.check(authorization)).toEqual(refusal)
    expect(await exact.draft(authorization, settler.address)).toEqual(refusal)
  })

  test('a wallet that has nothing, or whose program fails', async () => {
    const empty = await authorized(testSmartWallet())
    expect(await exact.check(empty)).toMatchObject({ ok: false, reason: SIMULATION })
    const wallet = await funded()
    const units = [limit(100), paidBy(wallet)]
    const payload = await signedByOwner(world, settler, units, [wallet.owner])
    const read = exact.read(payload, smartDemand(wallet, settler.address))
    if (!read.ok) throw new Error(read.reason)
    expect(await exact.check(read.authorization)).toMatchObject({ ok: false, reason: SIMULATION })
  })

  test('a payment that is good at the verify and spent at the settle', async () => {
    const wallet = await funded()
    const [first, second] = [await authorized(wallet), await authorized(wallet, 2n)]
    expect(await exact.check(first)).toEqual({ ok: true })
    await landed(await signed(second))
    expect(await exact.draft(first, settler.address)).toMatchObject({ reason: SIMULATION })
  })

  test('a wallet of which no node would tell what it paid: it is nobody’s fault, and it may pay later', async () => {
    const node = await startForgetfulNode(world.sandbox.solana.rpcUrl)
    onTestFinished(node.stop)
    const authorization = await authorized(await funded())
    const { exact: forgetful } = withWalletPrograms(world, undefined, node.url)
    expect(forgetful.smartWallets?.areTaken()).toBe(false)
    const untold = { ok: false, reason: 'network_unavailable' }
    expect(await forgetful.check(authorization)).toMatchObject(untold)
    expect(await forgetful.draft(authorization, settler.address)).toMatchObject(untold)
    expect(await forgetful.smartWallets?.whatIsMissing()).toContain('inner instructions')
    expect(await exact.check(authorization)).toEqual({ ok: true })
    expect(exact.smartWallets?.areTaken()).toBe(true)
  })

  test('an outage: it is nobody’s fault', async () => {
    const authorization = await authorized(await funded())
    const methods = ['simulateTransaction']
    await world.sandbox.fault({
      chain: 'solana',
      kind: 'fail',
      answer: 'http-500',
      methods,
      forward: false,
    })
    await expect(exact.check(authorization)).rejects.toThrow()
  })
})

describe('what a wallet does otherwise than in its simulation', () => {
  test('counts as the chain shows it: another amount is not what was asked for', async () => {
    const wallet = await funded()
    const transaction = await signed(await authorized(wallet))
    await give(wallet.address, 2n)
    expect(await landed(transaction)).toMatchObject({
      succeeded: true,
      transfers: [{ from: wallet.address, to: wallet.owner.address, amount: PRICE + 2n }],
    })
  })

  test('costs no more than was read, when it fails', async () => {
    const wallet = await funded()
    const [first, second] = [await authorized(wallet), await authorized(wallet, 2n)]
    const late = await signed(first)
    await landed(await signed(second))
    const before = await lamportsOf(settler)
    expect(await landed(late)).toMatchObject({ succeeded: false, transfers: [] })
    expect(before - (await lamportsOf(settler))).toBe(BigInt(first.stored['fee'] ?? ''))
  })
})
