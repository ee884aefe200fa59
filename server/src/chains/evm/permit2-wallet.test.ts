import { baseUnits } from '@florin/wire/amount.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { PERMIT2_ADDRESS } from '@x402/evm'
import { encodeFunctionData, erc20Abi, getAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import { until } from '../../kernel/until.ts'
import type { Address, Chain, TransactionHash } from '../chain.ts'
import type { ExactAuthorization, ExactDemand, ExactPayments } from '../exact.ts'
import { addressFromBytes } from './account.ts'
import { connectEvm } from './connect.ts'
import { readTerms } from './terms.ts'
import { startTestChain } from './test-chain.ts'
import type { TestChain, TestWallet } from './test-chain.ts'
import { NATIVE, testNetwork, USDC } from './test-network.ts'
import { permit2Payer } from './test-permit2.ts'
import type { Permit2Order, Permit2Payer } from './test-permit2.ts'
import { creation } from './test-wallets.ts'
import type { Trick } from './test-wallets.ts'

const SELLER = addressFromBytes(new Uint8Array(20).fill(0x74))
const PRICE = baseUnits(10_000n)

let world: TestChain
let chain: Chain
let exact: ExactPayments
let settler: TestWallet

beforeAll(async () => {
  world = await startTestChain()
  chain = connectEvm({
    config: testNetwork([world.sandbox.rpcUrl], {
      assets: [NATIVE, USDC],
      permit2: ['exact', 'upto'],
    }),
    log: openLog('silent'),
    clock: systemClock,
    callSeconds: 20,
  })
  if (chain.exact === undefined) throw new Error('no exact')
  exact = chain.exact
  settler = await world.wallet(['native', '2'])
})
afterAll(async () => {
  await world.sandbox.stop()
})

/** An account of the owner's with one USDC, which has approved Permit2. */
async function walletOf(owner: Permit2Payer, trick: Trick = 'none'): Promise<Address> {
  const code = await world.rpc('eth_call', { data: creation(trick, owner.address) }, 'latest')
  const wallet = await world.contract(String(code))
  await world.sandbox.fund(wallet, 'USDC', '1')
  await world.rpc('anvil_setBalance', wallet, '0xde0b6b3a7640000')
  await world.rpc('anvil_impersonateAccount', wallet)
  const args = [PERMIT2_ADDRESS, 2n ** 256n - 1n] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args })
  await world.rpc('eth_sendTransaction', { from: wallet, to: USDC.asset, data })
  await world.sandbox.mine()
  return wallet
}

function demandOf(change: Partial<ExactDemand> = {}): ExactDemand {
  return {
    ...{ asset: USDC, payTo: SELLER, amount: PRICE, extra: {} },
    ...{ settlers: new Set([settler.address]), x402Version: 2 as const },
    ...change,
  }
}

function readOf(payload: Fields, change: Partial<ExactDemand> = {}): ExactAuthorization {
  const read = exact.read(payload, demandOf(change))
  if (!read.ok) throw new Error(read.reason)
  return read.authorization
}

function order(change: Partial<Permit2Order> = {}): Permit2Order {
  return { token: USDC.asset, to: SELLER, amount: PRICE, ...change }
}

async function settle(authorization: ExactAuthorization): Promise<TransactionHash> {
  const drafted = await exact.draft(authorization, settler.address)
  if (!drafted.ok) throw new Error(drafted.reason)
  const { terms, laneLatest } = drafted.draft
  const { raw, hash } = await chain.sign(terms, laneLatest, settler.signer)
  await chain.broadcast([raw])
  const isMined = async () => (await chain.outcomes([hash]))[0]?.state === 'mined'
  await until('it is mined', isMined, { seconds: 30 })
  return hash
}

async function usdcOf(address: Address): Promise<bigint> {
  return (await chain.balances(address, [USDC])).amounts[0] ?? -1n
}

describe('an account with code', () => {
  test.each([
    ['65 bytes', ''],
    ['more bytes', 'c0ffee'],
  ])('pays by its own word of %s, alone, whatever the token’s profile says', async (_, more) => {
    const owner = permit2Payer()
    const from = await walletOf(owner)
    const payload = await owner.authorize(order({ from }))
    const signature = `${String(payload['signature'])}${more}`
    const authorization = readOf({ ...payload, signature })
    expect(authorization.awaitsCode).toBe(true)
    expect(await exact.check(authorization)).toEqual({ ok: true })
    const drafted = await exact.draft(authorization, settler.address)
    expect(drafted).toMatchObject({ ok: true, draft: { isAlone: true, runsPayerCode: true } })
    const before = await usdcOf(SELLER)
    const hash = await settle(authorization)
    expect(await usdcOf(SELLER)).toBe(before + PRICE)
    expect(await exact.findForeign(authorization, 0n)).toMatchObject({
      kind: 'paid',
      settlement: { hash },
    })
  })

  test('is refused when another key signed, or an account would have to be made', async () => {
    const from = await walletOf(permit2Payer())
    const other = await permit2Payer().authorize(order({ from }))
    const refused = { ok: false, reason: 'invalid_permit2_signature' }
    expect(await exact.check(readOf(other))).toEqual(refused)
    const wrapped = { ...other, signature: `${String(other['signature'])}${'6492'.repeat(16)}` }
    expect(exact.read(wrapped, demandOf())).toMatchObject(refused)
  })

  test.each<[Trick, string | null]>([
    ['burns gas', 'invalid_permit2_signature'],
    ['reverts', 'invalid_permit2_signature'],
    ['says another word', 'invalid_permit2_signature'],
    ['says half a word', 'invalid_permit2_signature'],
    ['reenters', 'permit2_simulation_failed'],
    ['is slow', null],
  ])('that %s gets this verdict, at verification and at settlement', async (trick, reason) => {
    const owner = permit2Payer()
    const from = await walletOf(owner, trick)
    const authorization = readOf(await owner.authorize(order({ from })))
    const check = await exact.check(authorization)
    expect(check.ok ? null : check.reason).toBe(reason)
    const drafted = await exact.draft(authorization, settler.address)
    expect(drafted.ok ? null : drafted.reason).toBe(reason)
  })

  test('that takes its word back on chain pays nobody, for no more than the bound of gas', async () => {
    const owner = permit2Payer()
    const from = await walletOf(owner, 'lies in simulations')
    const authorization = readOf(await owner.authorize(order({ from })))
    expect(await exact.check(authorization)).toEqual({ ok: true })
    const drafted = await exact.draft(authorization, settler.address)
    if (!drafted.ok) throw new Error(drafted.reason)
    expect(readTerms(drafted.draft.terms, 84_532n).gas).toBeLessThanOrEqual(540_000n)
    const before = await usdcOf(SELLER)
    const [outcome] = await chain.outcomes([await settle(authorization)])
    expect(outcome).toMatchObject({ state: 'mined', succeeded: false })
    expect(await usdcOf(SELLER)).toBe(before)
    expect(await exact.findForeign(authorization, 0n)).toEqual({ kind: 'behind' })
  })
})

describe('upto', () => {
  test('is settled by the key that it names, for what is asked, which is all that its payer must have', async () => {
    const owner = permit2Payer()
    await world.sandbox.fund(owner.address, 'USDC', '0.005')
    await world.sandbox.fund(owner.address, 'native', '1')
    await owner.approve(world.sandbox.rpcUrl, USDC.asset, 5_000n)
    const facilitator = getAddress(settler.address)
    const payload = await owner.authorize(order({ scheme: 'upto', facilitator }))
    const whole = readOf(payload, { scheme: 'upto' })
    expect(await exact.check(whole)).toMatchObject({ reason: 'permit2_insufficient_balance' })
    const part = { scheme: 'upto', isSettling: true } as const
    const authorization = readOf(payload, { ...part, amount: baseUnits(700n) })
    expect(authorization).toMatchObject({ onlySettler: settler.address, amount: 700n })
    expect(authorization.proofKey).toBe(whole.proofKey)
    const other = await world.wallet(['native', '1'])
    expect(await exact.draft(authorization, other.address)).toMatchObject({ ok: false })
    const before = await usdcOf(SELLER)
    const hash = await settle(authorization)
    expect(await usdcOf(SELLER)).toBe(before + 700n)
    expect(await exact.findForeign(authorization, 0n)).toMatchObject({
      kind: 'paid',
      settlement: { hash },
    })
    expect(await exact.check(whole)).toMatchObject({ reason: 'permit2_invalid_nonce' })
    const more = exact.read(payload, demandOf({ ...part, amount: baseUnits(PRICE + 1n) }))
    expect(more).toMatchObject({ reason: 'invalid_upto_evm_payload_settlement_exceeds_amount' })
  })
})
