import { baseUnits } from '@florin/wire/amount.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { x402ExactPermit2ProxyABI } from '@x402/evm'
import {
  createWalletClient,
  encodeFunctionData,
  getAddress,
  http,
  parseAbi,
  publicActions,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../kernel/until.ts'
import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import type { Address, Chain, TransactionHash } from '../chain.ts'
import type { ExactAuthorization, ExactDemand, ExactPayments } from '../exact.ts'
import { addressFromBytes } from './account.ts'
import { connectEvm } from './connect.ts'
import { hexBytes } from './hex.ts'
import { readTerms } from './terms.ts'
import { startTestChain } from './test-chain.ts'
import type { TestChain, TestWallet } from './test-chain.ts'
import { NATIVE, testNetwork, USDC } from './test-network.ts'
import { inMinutes, permit2Payer } from './test-permit2.ts'
import type { Permit2Order, Permit2Payer } from './test-permit2.ts'

const SELLER = addressFromBytes(new Uint8Array(20).fill(0x72))
const OTHER = addressFromBytes(new Uint8Array(20).fill(0x73))
const PRICE = baseUnits(10_000n)
const PERMIT2_ABI = parseAbi(['function invalidateUnorderedNonces(uint256 word, uint256 mask)'])

let world: TestChain
let chain: Chain
let exact: ExactPayments
let settler: TestWallet

const demand: ExactDemand = {
  asset: USDC,
  payTo: SELLER,
  amount: PRICE,
  extra: { name: 'USDC', version: '2', assetTransferMethod: 'permit2' },
  settlers: new Set(),
  x402Version: 2,
}

beforeAll(async () => {
  world = await startTestChain()
  chain = connectEvm({
    config: testNetwork([world.sandbox.rpcUrl], {
      assets: [NATIVE, USDC],
      permit2: ['exact'],
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

/** With one USDC; `warm` has approved Permit2. */
async function aPayer(kind: 'warm' | 'cold', allowance?: bigint): Promise<Permit2Payer> {
  const payer = permit2Payer()
  await world.sandbox.fund(payer.address, 'USDC', '1')
  if (kind === 'warm') {
    await world.sandbox.fund(payer.address, 'native', '1')
    await payer.approve(world.sandbox.rpcUrl, USDC.asset, allowance)
  }
  return payer
}

function order(change: Partial<Permit2Order> = {}): Permit2Order {
  return { token: USDC.asset, to: SELLER, amount: PRICE, ...change }
}

function reasonOf(payload: Fields, change: Partial<ExactDemand> = {}): string {
  const read = exact.read(payload, { ...demand, ...change })
  return read.ok ? 'taken' : read.reason
}

function readOf(payload: Fields, extensions: Fields = {}): ExactAuthorization {
  const read = exact.read(payload, { ...demand, extensions })
  if (!read.ok) throw new Error(read.reason)
  return read.authorization
}

async function settle(authorization: ExactAuthorization): Promise<TransactionHash> {
  const drafted = await exact.draft(authorization, settler.address)
  if (!drafted.ok) throw new Error(drafted.reason)
  const { terms, laneLatest } = drafted.draft
  return send(await chain.sign(terms, laneLatest, settler.signer))
}

async function send({ raw, hash }: Awaited<ReturnType<Chain['sign']>>): Promise<TransactionHash> {
  await chain.broadcast([raw])
  const isMined = async () => (await chain.outcomes([hash]))[0]?.state === 'mined'
  await until('it is mined', isMined, { seconds: 30 })
  return hash
}

async function usdcOf(address: Address): Promise<bigint> {
  return (await chain.balances(address, [USDC])).amounts[0] ?? -1n
}

async function stranger() {
  const account = privateKeyToAccount(hexText(hexBytes(Buffer.alloc(32, 0x5a))))
  await world.sandbox.fund(account.address, 'native', '1')
  const transport = http(world.sandbox.rpcUrl)
  return createWalletClient({
    ...{ account, chain: baseSepolia, transport },
    pollingInterval: 50,
  }).extend(publicActions)
}

function hexText(text: string): `0x${string}` {
  return `0x${text.replace(/^0x/, '')}`
}

/** The call that settles it, as anybody may make it. */
function callOf(payload: Fields): `0x${string}` {
  const { signature, permit2Authorization } = payload as {
    signature: `0x${string}`
    permit2Authorization: {
      permitted: { token: string; amount: string }
      from: string
      nonce: string
      deadline: string
      witness: { to: string; validAfter: string }
    }
  }
  const { permitted, from, nonce, deadline, witness } = permit2Authorization
  return encodeFunctionData({
    abi: x402ExactPermit2ProxyABI,
    functionName: 'settle',
    args: [
      {
        permitted: { token: getAddress(permitted.token), amount: BigInt(permitted.amount) },
        nonce: BigInt(nonce),
        deadline: BigInt(deadline),
      },
      getAddress(from),
      { to: getAddress(witness.to), validAfter: BigInt(witness.validAfter) },
      signature,
    ],
  })
}

const PROXY = '0x402085c248EeA27D92E8b30b2C58ed07f9E20001'

describe('a payment by Permit2', () => {
  test.each(['warm', 'cold'] as const)('from a %s wallet moves the money once', async (kind) => {
    const payer = await aPayer(kind)
    const extensions =
      kind === 'cold' ? await payer.permit({ token: USDC.asset, amount: PRICE }) : {}
    const authorization = readOf(await payer.authorize(order()), extensions)
    expect(authorization).toMatchObject({ payer: payer.address, permit2: 'exact', payTo: SELLER })
    const stored = JSON.parse(JSON.stringify(authorization.stored)) as Record<string, string>
    const again = { ...authorization, stored }
    expect(await exact.check(again)).toEqual({ ok: true })
    const before = await usdcOf(SELLER)
    const hash = await settle(again)
    expect(await usdcOf(SELLER)).toBe(before + PRICE)
    expect(await exact.findForeign(again, 0n)).toMatchObject({ kind: 'paid', settlement: { hash } })
    const used = { ok: false, reason: 'permit2_invalid_nonce', isUsed: true }
    expect(await exact.check(again)).toEqual(used)
    expect(await exact.draft(again, settler.address)).toEqual(used)
    await world.sandbox.mine(5)
    await until('it is final', async () => (await exact.finalState(again)) === 'used', {
      seconds: 30,
    })
  })

  test('is settled by v of 27 or 28, whatever its payer wrote', async () => {
    const payer = await aPayer('warm')
    const payload = await payer.authorize(order())
    const signature = String(payload['signature'])
    const v = signature.endsWith('1b') ? '00' : '01'
    const before = await usdcOf(SELLER)
    await settle(readOf({ ...payload, signature: signature.slice(0, -2) + v }))
    expect(await usdcOf(SELLER)).toBe(before + PRICE)
  })

  test('is told by its payer and nonce alone, whatever it is for', async () => {
    const payer = await aPayer('warm')
    const one = readOf(await payer.authorize(order({ nonce: 77n })))
    const read = exact.read(await payer.authorize(order({ nonce: 77n, to: OTHER, amount: 5n })), {
      ...demand,
      payTo: OTHER,
      amount: baseUnits(5n),
    })
    expect(read).toMatchObject({ ok: true, authorization: { proofKey: one.proofKey } })
    const next = readOf(await payer.authorize(order({ nonce: 78n })))
    expect(next.proofKey).not.toBe(one.proofKey)
  })

  test('goes alone, and teaches nobody what others take', async () => {
    const payer = await aPayer('warm')
    const drafted = await exact.draft(readOf(await payer.authorize(order())), settler.address)
    if (!drafted.ok) throw new Error(drafted.reason)
    expect(drafted.draft.isAlone).toBe(true)
    expect(readTerms(drafted.draft.terms, 84_532n).gas).toBeLessThan(400_000n)
  })
})

describe('is refused without a node', () => {
  test('when what was signed is not what the seller asks for', async () => {
    const payer = permit2Payer()
    const by = (change: Partial<Permit2Order>) => payer.authorize(order(change))
    expect(reasonOf(await by({ spender: OTHER }))).toBe('invalid_permit2_spender')
    expect(reasonOf(await by({ scheme: 'upto' }))).toBe('invalid_permit2_spender')
    expect(reasonOf(await by({ to: OTHER }))).toBe('invalid_permit2_recipient_mismatch')
    expect(reasonOf(await by({ amount: PRICE - 1n }))).toBe('permit2_amount_mismatch')
    expect(reasonOf(await by({ amount: PRICE + 1n }))).toBe('permit2_amount_mismatch')
    expect(reasonOf(await by({ token: OTHER }))).toBe('permit2_token_mismatch')
  })

  test('when it is for a version or a network without Permit2', async () => {
    const payload = await permit2Payer().authorize(order())
    expect(reasonOf(payload, { x402Version: 1 })).toBe('invalid_payload')
    expect(reasonOf(payload, { scheme: 'upto' })).toBe('permit2_proxy_not_deployed')
    const none = world.chain.exact?.read(payload, demand)
    expect(none).toMatchObject({ ok: false, reason: 'permit2_proxy_not_deployed' })
  })

  test('when its permit is for something else', async () => {
    const payer = permit2Payer()
    const payload = await payer.authorize(order())
    const reason = async (change: Readonly<Record<string, unknown>>) =>
      reasonOf(payload, {
        extensions: await payer.permit({ token: USDC.asset, amount: PRICE, change }),
      })
    expect(await reason({})).toBe('taken')
    expect(await reason({ from: OTHER })).toBe('eip2612_from_mismatch')
    expect(await reason({ asset: OTHER })).toBe('eip2612_asset_mismatch')
    expect(await reason({ spender: OTHER })).toBe('eip2612_spender_not_permit2')
    expect(await reason({ amount: '0x10' })).toBe('invalid_eip2612_extension_format')
    expect(await reason({ signature: '0x12' })).toBe('invalid_eip2612_extension_format')
    expect(await reason({ signature: '' })).toBe('taken')
  })
})

describe('is refused by the chain’s word', () => {
  test('when somebody else signed, it is over, too early, unfunded or not approved', async () => {
    const payer = await aPayer('warm')
    const check = async (change: Partial<Permit2Order>, by = payer) =>
      exact.check(readOf(await by.authorize(order(change))))
    const no = (reason: string) => ({ ok: false, reason })
    expect(await check({ from: payer.address }, permit2Payer())).toEqual(
      no('invalid_permit2_signature'),
    )
    expect(await check({ chainId: 8_453 })).toEqual(no('invalid_permit2_signature'))
    expect(await check({ deadline: inMinutes(-5) })).toEqual(no('permit2_deadline_expired'))
    expect(await check({ validAfter: inMinutes(15) })).toEqual(no('permit2_not_yet_valid'))
    expect(await check({}, permit2Payer())).toEqual(no('permit2_insufficient_balance'))
    expect(await check({}, await aPayer('cold'))).toEqual(no('permit2_allowance_required'))
    const tight = await aPayer('warm', PRICE - 1n)
    expect(await check({}, tight)).toEqual(no('permit2_allowance_required'))
  })

  test('when its permit is not the owner’s, has been used for less, or ends', async () => {
    const payer = await aPayer('cold')
    const payload = await payer.authorize(order())
    const check = async (permit: Fields) => exact.check(readOf(payload, permit))
    const required = { ok: false, reason: 'permit2_allowance_required' }
    const plain = { token: USDC.asset, amount: PRICE }
    expect(await check(await payer.permit({ ...plain, nonce: 1n }))).toEqual(required)
    expect(await check(await payer.permit({ ...plain, amount: PRICE + 1n }))).toEqual(required)
    const other = await permit2Payer().permit({ ...plain, change: { from: payer.address } })
    expect(await check(other)).toEqual(required)
    expect(await check(await payer.permit({ ...plain, deadline: inMinutes(-1) }))).toEqual({
      ok: false,
      reason: 'eip2612_deadline_expired',
    })
    expect(await check(await payer.permit(plain))).toEqual({ ok: true })
  })

  test('and not when somebody submitted its permit before', async () => {
    const payer = await aPayer('cold')
    await world.sandbox.fund(payer.address, 'native', '1')
    const extensions = await payer.permit({ token: USDC.asset, amount: PRICE })
    await payer.approve(world.sandbox.rpcUrl, USDC.asset, PRICE)
    const authorization = readOf(await payer.authorize(order()), extensions)
    const before = await usdcOf(SELLER)
    await settle(authorization)
    expect(await usdcOf(SELLER)).toBe(before + PRICE)
  })
})

describe('what somebody else did', () => {
  test('is known when they called the proxy with it', async () => {
    const payer = await aPayer('warm')
    const [payload, twin] = [await payer.authorize(order()), await payer.authorize(order())]
    const wallet = await stranger()
    const hash = await wallet.sendTransaction({ to: PROXY, data: callOf(payload) })
    await wallet.waitForTransactionReceipt({ hash })
    expect(await exact.findForeign(readOf(payload), 0n)).toMatchObject({
      kind: 'paid',
      settlement: { hash },
    })
    // The same amount to the same seller, and another payment.
    expect(await exact.findForeign(readOf(twin), 0n)).toEqual({ kind: 'behind' })
  })

  test('is no payment of ours when the nonce went to somebody else', async () => {
    const payer = await aPayer('warm')
    const nonce = 900n
    const elsewhere = await payer.authorize(order({ nonce, to: OTHER }))
    const wallet = await stranger()
    const hash = await wallet.sendTransaction({ to: PROXY, data: callOf(elsewhere) })
    await wallet.waitForTransactionReceipt({ hash })
    const authorization = readOf(await payer.authorize(order({ nonce })))
    expect(await exact.check(authorization)).toMatchObject({ ok: false, isUsed: true })
    expect(await exact.findForeign(authorization, 0n)).toMatchObject({ kind: 'wasted' })
  })

  test('is known when the payer took its nonce back, and no earlier payment is taken for this one', async () => {
    const payer = await aPayer('warm')
    const [paid, taken] = [
      payer.authorize(order({ nonce: 3n })),
      payer.authorize(order({ nonce: 4n })),
    ]
    await settle(readOf(await paid))
    const authorization = readOf(await taken)
    const wallet = createWalletClient({
      ...{ account: payer.account, chain: baseSepolia, transport: http(world.sandbox.rpcUrl) },
      pollingInterval: 50,
    }).extend(publicActions)
    const hash = await wallet.writeContract({
      address: '0x000000000022D473030F116dDEE9F6B43aC78BA3',
      abi: PERMIT2_ABI,
      functionName: 'invalidateUnorderedNonces',
      args: [0n, 16n],
    })
    await wallet.waitForTransactionReceipt({ hash })
    expect(await exact.check(authorization)).toMatchObject({ ok: false, isUsed: true })
    expect(await exact.findForeign(authorization, 0n)).toMatchObject({ kind: 'wasted' })
  })
})
