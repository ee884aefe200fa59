import { baseUnits } from '@florin/wire/amount.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { PERMIT2_ADDRESS } from '@x402/evm'
import { encodeFunctionData, erc20Abi, getAddress, maxUint256 } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import type { AssetProfile, NetworkConfig } from '../../kernel/network-config.ts'
import { openLog } from '../../kernel/log.ts'
import { until } from '../../kernel/until.ts'
import type { AwaitedApproval, ExactDemand, ExactPayments } from '../exact.ts'
import { postText } from '../json-rpc/post-text.ts'
import { addressFromBytes } from './account.ts'
import { connectEvm } from './connect.ts'
import { startTestChain } from './test-chain.ts'
import type { TestChain } from './test-chain.ts'
import { NATIVE, testNetwork, USDC } from './test-network.ts'
import { inMinutes, permit2Payer } from './test-permit2.ts'
import type { Permit2Order, Permit2Payer } from './test-permit2.ts'

const SELLER = addressFromBytes(new Uint8Array(20).fill(0x72))
const OTHER = addressFromBytes(new Uint8Array(20).fill(0x73))
const PRICE = baseUnits(10_000n)
const GIGA = 10n ** 9n
const GAS = 70_000n
const MAX_FEE = 5n * GIGA

const LEGACY = {
  ...{ type: 'legacy', gasPrice: MAX_FEE },
  ...{ maxFeePerGas: undefined, maxPriorityFeePerGas: undefined },
}
const ACCESS = [{ address: getAddress(OTHER), storageKeys: [] }]
/** The same arguments for another function. */
const TRANSFER = (data: `0x${string}`) => `0xa9059cbb${data.slice(10)}` as const

let world: TestChain
/** A token that knows no permits. */
let token: AssetProfile
let exact: ExactPayments
/** Of a node that cannot run calls one after the other. */
let plain: ExactPayments
/** Where the operator sponsors nothing. */
let off: ExactPayments
let settler: Awaited<ReturnType<TestChain['wallet']>>

beforeAll(async () => {
  world = await startTestChain()
  const [fern] = world.sandbox.tokens
  if (fern === undefined) throw new Error('the sandbox trades no token')
  token = {
    ...{ symbol: 'FERN', asset: getAddress(fern.mint), decimals: 18, takesCommitment: true },
  }
  exact = open(sponsoring)
  plain = open(sponsoring, (body) => body.replaceAll('eth_simulateV1', 'eth_unheardOf'))
  off = open({})
  settler = await world.wallet(['native', '2'])
})
afterAll(async () => {
  await world.sandbox.stop()
})

const sponsoring = {
  approvalSponsoring: { wallet: OTHER, amountMax: 10n ** 16n, amountPerDay: 10n ** 17n },
}

function open(change: Partial<NetworkConfig>, altered = (body: string) => body): ExactPayments {
  const config = testNetwork([world.sandbox.rpcUrl], {
    ...{ assets: [NATIVE, USDC, token, oldToken()], permit2: ['exact', 'upto'] },
    ...change,
  })
  const { exact: opened } = connectEvm({
    ...{ config, log: openLog('silent'), clock: systemClock, callSeconds: 20 },
    post: (posting) => postText({ ...posting, body: altered(posting.body) }),
  })
  if (opened === undefined) throw new Error('no exact')
  return opened
}

const demand = (): ExactDemand => ({
  ...{ asset: token, payTo: SELLER, amount: PRICE, settlers: new Set(), x402Version: 2 },
  extra: { name: 'FERN', version: '1', assetTransferMethod: 'permit2' },
})

/** As they were made before permits: no word is answered, and no allowance changed that is not zero. */
const oldToken = (): AssetProfile => {
  const { mint, symbol, decimals } = world.sandbox.oldToken
  return { symbol, asset: getAddress(mint), decimals, takesCommitment: false }
}

/** With one token and no native currency. */
async function aPayer(amount = '1'): Promise<Permit2Payer> {
  const payer = permit2Payer()
  await world.sandbox.fund(payer.address, 'FERN', amount)
  return payer
}

interface Change {
  readonly transaction?: Readonly<Record<string, unknown>>
  readonly info?: Fields
  readonly spender?: string
  readonly amount?: bigint
  readonly data?: (data: `0x${string}`) => `0x${string}`
}

/** What the stock client says beside the payment, but for the changes. */
async function approvalOf(
  payer: Permit2Payer,
  { transaction, info, spender = PERMIT2_ADDRESS, amount = maxUint256, data }: Change = {},
): Promise<Fields> {
  const args = [getAddress(spender), amount] as const
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args })
  const signedTransaction = await payer.account.signTransaction({
    ...{ to: getAddress(token.asset), data: data?.(approve) ?? approve, nonce: 0, gas: GAS },
    ...{ maxFeePerGas: MAX_FEE, maxPriorityFeePerGas: GIGA, chainId: 84_532 },
    ...transaction,
  })
  const said = {
    ...{ from: payer.address, asset: token.asset, spender: PERMIT2_ADDRESS },
    ...{ amount: `${amount}`, signedTransaction, version: '1', ...info },
  }
  return { erc20ApprovalGasSponsoring: { info: said } }
}

async function readWith(
  payer: Permit2Payer,
  extensions: Fields,
  by = exact,
  change: Partial<Permit2Order> = {},
) {
  const order = { token: token.asset, to: SELLER, amount: PRICE, ...change }
  const read = by.read(await payer.authorize(order), { ...demand(), extensions })
  if (!read.ok) throw new Error(read.reason)
  return read.authorization
}

async function awaited(payer: Permit2Payer, by = exact): Promise<AwaitedApproval> {
  const check = await by.check(await readWith(payer, await approvalOf(payer), by))
  if (!check.ok || check.approval === undefined) throw new Error(JSON.stringify(check))
  return check.approval
}

describe('a payer without an allowance shows an approval that it has signed', () => {
  test('as soon as that is in a block the payment settles: what it lacks for it is told', async () => {
    const payer = await aPayer()
    for (const by of [exact, plain]) {
      const approval = await awaited(payer, by)
      expect(approval).toMatchObject({ nonce: 0n, lacks: GAS * MAX_FEE })
      expect(approval.settlementFee).toBeGreaterThan(0n)
    }
    const authorization = await readWith(payer, await approvalOf(payer))
    expect(await exact.draft(authorization, settler.address)).toMatchObject({
      ...{ ok: false, reason: 'permit2_allowance_required' },
      approval: { nonce: 0n, lacks: GAS * MAX_FEE },
    })
    await world.sandbox.fund(payer.address, 'native', '0.0002')
    const { raw, lacks } = await awaited(payer)
    expect(lacks).toBe(GAS * MAX_FEE - 2n * 10n ** 14n)
    await world.sandbox.fund(payer.address, 'native', '0.0002')
    expect((await awaited(payer)).lacks).toBe(0n)
    expect((await world.chain.broadcast([raw]))[0]?.kind).toBe('accepted')
    const isReady = async () => {
      const found = await exact.check(authorization)
      return found.ok && found.approval === undefined
    }
    await until('it is approved', isReady, { seconds: 30 })
    expect(await exact.draft(authorization, settler.address)).toMatchObject({ ok: true })
  })

  test('a payer with code approves by itself: its code could pass on what it is given', async () => {
    const payer = await aPayer()
    const authorization = await readWith(payer, await approvalOf(payer))
    // Delegated to code that says yes to whatever it is asked: the signature counts all the same.
    const word = '1626ba7e'.padEnd(64, '0')
    const code = OTHER.slice(2).toLowerCase()
    await world.rpc('anvil_setCode', OTHER, `0x7f${word}60005260206000f3`)
    await world.rpc('anvil_setCode', payer.address, `0xef0100${code}`)
    expect(await exact.draft(authorization, settler.address)).toEqual({
      ok: false,
      reason: 'permit2_allowance_required',
    })
  })

  test('what publishing on a roll-up takes counts in what giving and settling are expected to take', async () => {
    const payer = await aPayer()
    const authorization = await readWith(payer, await approvalOf(payer))
    const fees = async () => {
      const found = await exact.check(authorization)
      if (!found.ok || found.approval === undefined) throw new Error(JSON.stringify(found))
      return found.approval
    }
    const before = await fees()
    const perByte = 10n ** 15n
    // An oracle that takes so much for each byte.
    const push = perByte.toString(16).padStart(16, '0')
    const oracle = '0x420000000000000000000000000000000000000F'
    await world.rpc('anvil_setCode', oracle, `0x60043567${push}0260005260206000f3`)
    const published = await fees()
    await world.rpc('anvil_setCode', oracle, '0x')
    // More than the calls themselves by far: an envelope of 100 bytes at least, and what is called with.
    expect(published.fundingFee - before.fundingFee).toBeGreaterThan(100n * perByte)
    expect(published.settlementFee - before.settlementFee).toBeGreaterThan(400n * perByte)
  })

  test('where the operator sponsors nothing it is not looked at', async () => {
    const payer = await aPayer()
    const extensions = await approvalOf(payer, { info: { from: OTHER } })
    const authorization = await readWith(payer, extensions, off)
    const refused = { ok: false, reason: 'permit2_allowance_required' }
    expect(await off.check(authorization)).toEqual(refused)
    expect(await off.draft(authorization, settler.address)).toEqual(refused)
    expect(authorization.stored['approval']).toBeUndefined()
  })

  test('a client that repeats what its seller declared shows none', async () => {
    const payer = await aPayer()
    const extensions = { erc20ApprovalGasSponsoring: { info: { version: '1' } } }
    expect(await exact.check(await readWith(payer, extensions))).toEqual({
      ok: false,
      reason: 'permit2_allowance_required',
    })
  })
})

const strangers = permit2Payer()
describe('an approval that does anything else is refused without asking anybody', () => {
  const other = getAddress(OTHER)
  test.each<readonly [string, string, Change]>([
    ['not hex', 'invalid_erc20_approval_extension_format', { info: { signedTransaction: 'x' } }],
    ['no version', 'invalid_erc20_approval_extension_format', { info: { version: 'x' } }],
    ['somebody else', 'erc20_approval_from_mismatch', { info: { from: other } }],
    ['another token', 'erc20_approval_asset_mismatch', { info: { asset: other } }],
    ['another spender', 'erc20_approval_spender_not_permit2', { info: { spender: other } }],
    ['cut off', 'erc20_approval_tx_parse_failed', { info: { signedTransaction: '0x02f8' } }],
    ['legacy', 'erc20_approval_tx_parse_failed', { transaction: LEGACY }],
    ['to another contract', 'erc20_approval_tx_wrong_target', { transaction: { to: other } }],
    ['a transfer', 'erc20_approval_tx_wrong_selector', { data: TRANSFER }],
    ['more data', 'erc20_approval_tx_invalid_calldata', { data: (data) => `${data}00` }],
    ['spender in the data', 'erc20_approval_tx_wrong_spender', { spender: other }],
    ['another chain', 'erc20_approval_tx_wrong_chain', { transaction: { chainId: 1 } }],
    ['less than the price', 'erc20_approval_tx_wrong_amount', { amount: PRICE - 1n }],
    ['another amount', 'erc20_approval_tx_wrong_amount', { info: { amount: `${PRICE}` } }],
    ['a value', 'erc20_approval_tx_unfit', { transaction: { value: 1n } }],
    ['much gas', 'erc20_approval_tx_unfit', { transaction: { gas: 250_001n } }],
    ['less gas than its bytes take', 'erc20_approval_tx_unfit', { transaction: { gas: 21_000n } }],
    ['an access list', 'erc20_approval_tx_unfit', { transaction: { accessList: ACCESS } }],
  ])('%s: %s', async (_, reason, change) => {
    const payer = permit2Payer()
    await expect(readWith(payer, await approvalOf(payer, change))).rejects.toThrow(reason)
  })

  test('somebody else has signed it', async () => {
    const payer = permit2Payer()
    const extensions = await approvalOf(strangers, { info: { from: payer.address } })
    await expect(readWith(payer, extensions)).rejects.toThrow('erc20_approval_tx_signer_mismatch')
  })
})

describe('an approval that would not be mined, or not help, is refused by what the chain says', () => {
  const reasonOf = async (payer: Permit2Payer, change: Change, by = exact, order = {}) => {
    const check = await by.check(await readWith(payer, await approvalOf(payer, change), by, order))
    return check.ok ? 'taken' : check.reason
  }

  test.each<readonly [string, string, Change]>([
    ['a later nonce', 'erc20_approval_tx_wrong_nonce', { transaction: { nonce: 1 } }],
    [
      'much more than the network asks for',
      'erc20_approval_tx_fee_too_high',
      { transaction: { maxFeePerGas: 500n * GIGA } },
    ],
    ['too little gas', 'erc20_approval_tx_failed', { transaction: { gas: 30_000n } }],
  ])('%s: %s', async (_, reason, change) => {
    const payer = await aPayer()
    for (const by of [exact, plain]) expect(await reasonOf(payer, change, by)).toBe(reason)
  })

  test('less than the base fee is told, since a later block may take it', async () => {
    const payer = await aPayer()
    const cheap = { maxFeePerGas: 1n, maxPriorityFeePerGas: 0n }
    const extensions = await approvalOf(payer, { transaction: cheap })
    expect(await exact.check(await readWith(payer, extensions))).toMatchObject({
      ...{ ok: true, approval: { isUnderpriced: true } },
    })
    expect((await awaited(payer)).isUnderpriced).toBe(false)
  })

  test('a payer without the tokens, or with too little time', async () => {
    const poor = permit2Payer()
    expect(await reasonOf(poor, {})).toBe('permit2_insufficient_balance')
    // Three blocks of twelve seconds.
    const slow = open({ ...sponsoring, blockTimeMilliseconds: 12_000 })
    const soon = { deadline: inMinutes(0) + 25n }
    const payer = await aPayer()
    expect(await reasonOf(payer, {}, exact, soon)).toBe('taken')
    expect(await reasonOf(payer, {}, slow, soon)).toBe('permit2_deadline_expired')
  })

  test('a token that changes no allowance that is not zero: its payer is told what to do, before anything is given', async () => {
    const old = oldToken()
    const payer = permit2Payer()
    await world.sandbox.fund(payer.address, 'ALDER', '1')
    await world.sandbox.fund(payer.address, 'native', '1')
    await payer.approve(world.sandbox.rpcUrl, old.asset, PRICE - 1n)
    const reasonAt = async (nonce: number, by: ExactPayments) => {
      const transaction = { to: getAddress(old.asset), nonce }
      const extensions = await approvalOf(payer, { transaction, info: { asset: old.asset } })
      const order = await payer.authorize({ token: old.asset, to: SELLER, amount: PRICE })
      const read = by.read(order, { ...demand(), asset: old, extensions })
      return read.ok ? by.check(read.authorization) : read
    }
    for (const by of [exact, plain]) {
      expect(await reasonAt(1, by)).toEqual({
        ...{ ok: false, reason: 'erc20_approval_tx_failed' },
        message: expect.stringContaining('set it to zero first'),
      })
    }
    await payer.approve(world.sandbox.rpcUrl, old.asset, 0n)
    for (const by of [exact, plain]) {
      expect(await reasonAt(2, by)).toMatchObject({ ok: true, approval: { nonce: 2n } })
    }
  })

  test('a payer whose nonce went to something else', async () => {
    const payer = await aPayer()
    expect((await awaited(payer)).nonce).toBe(0n)
    await world.sandbox.fund(payer.address, 'native', '1')
    await payer.approve(world.sandbox.rpcUrl, USDC.asset)
    expect(await reasonOf(payer, {})).toBe('erc20_approval_tx_wrong_nonce')
  })
})
