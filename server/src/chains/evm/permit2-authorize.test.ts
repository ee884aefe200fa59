import { randomBytes } from 'node:crypto'
import { baseUnits } from '@florin/wire/amount.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { x402ExactPermit2ProxyABI, x402ExactPermit2ProxyAddress } from '@x402/evm'
import {
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  http,
  multicall3Abi,
  publicActions,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import { until } from '../../kernel/until.ts'
import type { Address, Chain } from '../chain.ts'
import type { AuthorizeOutcome, ExactAuthorization, ExactPayments, PayOrder } from '../exact.ts'
import { addressFromBytes } from './account.ts'
import { connectEvm } from './connect.ts'
import { MULTICALL } from './multicall.ts'
import { permit2Call, PERMIT2, PROXIES } from './permit2.ts'
import { openPermit2Reader } from './permit2-read.ts'
import { startTestChain } from './test-chain.ts'
import type { TestChain, TestWallet } from './test-chain.ts'
import { NATIVE, testNetwork, USDC } from './test-network.ts'
import { inMinutes } from './test-permit2.ts'

const SELLER = addressFromBytes(new Uint8Array(20).fill(0x74))
const PRICE = baseUnits(10_000n)
const EXTRA = { name: 'USDC', version: '2', assetTransferMethod: 'permit2' }
type Hex = `0x${string}`

let world: TestChain
let chain: Chain
let exact: ExactPayments
let settler: TestWallet

function connect(permit2: readonly ('exact' | 'upto')[]): Chain {
  const assets = [NATIVE, USDC]
  const config = testNetwork([world.sandbox.rpcUrl], { assets, permit2 })
  return connectEvm({ config, log: openLog('silent'), clock: systemClock, callSeconds: 20 })
}

beforeAll(async () => {
  world = await startTestChain()
  chain = connect(['exact'])
  if (chain.exact === undefined) throw new Error('no exact')
  exact = chain.exact
  settler = await world.wallet(['native', '2'])
})
afterAll(async () => {
  await world.sandbox.stop()
})

function order(payer: TestWallet, change: Partial<PayOrder> = {}): PayOrder {
  return {
    ...{ asset: USDC, payer: payer.address, payTo: SELLER, amount: PRICE, extra: EXTRA },
    validBeforeSeconds: inMinutes(5),
    salt: new Uint8Array(randomBytes(32)),
    takesPermits: true,
    ...change,
  }
}

const prepare = async (wanted: PayOrder, on = exact): Promise<AuthorizeOutcome | undefined> =>
  on.authorize?.(wanted)

async function signed(payer: TestWallet, change: Partial<PayOrder> = {}) {
  const outcome = await prepare(order(payer, change))
  if (outcome?.ok !== true) throw new Error(`not prepared: ${outcome?.reason}`)
  return outcome.prepared.sign(payer.signer)
}

/** As the books give it back. */
function kept(authorization: ExactAuthorization): ExactAuthorization {
  const stored = JSON.parse(JSON.stringify(authorization.stored)) as Record<string, string>
  return { ...authorization, isOurs: true, stored }
}

async function settle(authorization: ExactAuthorization): Promise<string> {
  const drafted = await exact.draft(authorization, settler.address)
  if (!drafted.ok) throw new Error(drafted.reason)
  const { terms, laneLatest } = drafted.draft
  const { raw, hash } = await chain.sign(terms, laneLatest, settler.signer)
  await chain.broadcast([raw])
  const isMined = async () => (await chain.outcomes([hash]))[0]?.state === 'mined'
  await until('it is mined', isMined, { seconds: 30 })
  return hash
}

async function balanceOf(address: Address): Promise<bigint> {
  return (await chain.balances(address, [USDC])).amounts[0] ?? -1n
}

/** Whoever pays the network for somebody else's payments. */
async function stranger() {
  const account = privateKeyToAccount(generatePrivateKey())
  await world.sandbox.fund(account.address, 'native', '1')
  const transport = http(world.sandbox.rpcUrl)
  return createWalletClient({
    ...{ account, chain: baseSepolia, transport },
    pollingInterval: 50,
  }).extend(publicActions)
}

/** The call of the proxy that settles it, with its permit, as another library writes it. */
function callOf(payload: Fields, extensions: Fields | undefined): Hex {
  const { signature, permit2Authorization } = payload as {
    signature: Hex
    permit2Authorization: {
      permitted: { token: Hex; amount: string }
      from: Hex
      nonce: string
      deadline: string
      witness: { to: Hex; validAfter: string }
    }
  }
  const { info } = (extensions ?? {})['eip2612GasSponsoring'] as {
    info: { amount: string; deadline: string; signature: Hex }
  }
  const { permitted, from, nonce, deadline, witness } = permit2Authorization
  return encodeFunctionData({
    abi: x402ExactPermit2ProxyABI,
    functionName: 'settleWithPermit',
    args: [
      {
        value: BigInt(info.amount),
        deadline: BigInt(info.deadline),
        r: `0x${info.signature.slice(2, 66)}`,
        s: `0x${info.signature.slice(66, 130)}`,
        v: Number.parseInt(info.signature.slice(130), 16),
      },
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

describe('a wallet of ours pays by Permit2', () => {
  test('with a permit beside where it never approved Permit2, once, for the amount and no more', async () => {
    const payer = await world.wallet(['USDC', '1'])
    const { payload, authorization, extensions } = await signed(payer)
    expect(extensions).toMatchObject({
      eip2612GasSponsoring: { info: { spender: PERMIT2, amount: `${PRICE}`, version: '1' } },
    })
    const taken = exact.read(payload, {
      ...{ asset: USDC, payTo: SELLER, amount: PRICE, extra: EXTRA, settlers: new Set() },
      ...{ x402Version: 2, extensions: extensions ?? {} },
    })
    expect(taken).toEqual({ ok: true, authorization })
    const before = await balanceOf(SELLER)
    const hash = await settle(kept(authorization))
    expect(await balanceOf(SELLER)).toBe(before + PRICE)
    expect(await exact.findForeign(kept(authorization), 0n)).toMatchObject({
      ...{ kind: 'paid', settlement: { hash } },
    })
    const wallet = await stranger()
    const allowance = await wallet.readContract({
      ...{ address: getAddress(USDC.asset), abi: erc20Abi, functionName: 'allowance' },
      args: [getAddress(payer.address), getAddress(PERMIT2)],
    })
    expect(allowance).toBe(0n)
    // The next one signs a permit with the next nonce of the token.
    const next = await signed(payer)
    await settle(kept(next.authorization))
    expect(await balanceOf(payer.address)).toBe(1_000_000n - 2n * PRICE)
  })

  test('is over at the second that was asked for, permit and all', async () => {
    const payer = await world.wallet(['USDC', '1'])
    const validBeforeSeconds = inMinutes(4)
    const { payload, authorization, extensions } = await signed(payer, { validBeforeSeconds })
    const deadline = `${validBeforeSeconds - 1n}`
    expect(authorization.validBeforeSeconds).toBe(validBeforeSeconds)
    expect(payload).toMatchObject({ permit2Authorization: { deadline } })
    expect(extensions).toMatchObject({ eip2612GasSponsoring: { info: { deadline } } })
  })

  test('is declined where the seller names Permit2 itself, or its proxy, as the receiver', async () => {
    const payer = await world.wallet(['USDC', '1'])
    for (const payTo of [PERMIT2, PROXIES.exact, PROXIES.upto]) {
      const refused = { ok: false, reason: 'receiver' }
      expect(await prepare(order(payer, { payTo }))).toEqual(refused)
    }
  })

  test('is declined where nobody could settle it, before anything is signed', async () => {
    const payer = await world.wallet(['USDC', '1'])
    const reasonOf = async (change: Partial<PayOrder>, on = exact) => {
      const outcome = await prepare(order(payer, change), on)
      return outcome?.ok === false ? outcome.reason : 'signed'
    }
    expect(await reasonOf({ takesPermits: false })).toBe('allowance')
    expect(await reasonOf({ extra: { ...EXTRA, version: '1' } })).toBe('domain')
    expect(await reasonOf({ extra: { ...EXTRA, assetTransferMethod: 'other' } })).toBe('method')
    const without = connect(['upto']).exact
    expect(await reasonOf({}, without)).toBe('method')
    expect(await reasonOf({})).toBe('signed')
  })

  test('is known as paid when it was settled from within another contract, among others of its kind', async () => {
    const payer = await world.wallet(['USDC', '1'])
    const wallet = await stranger()
    const isOpen = await signed(payer)
    const found: Awaited<ReturnType<typeof signed>>[] = []
    const hashes: string[] = []
    for (let each = 0; each < 2; each += 1) {
      const payment = await signed(payer)
      const { payload, extensions } = payment
      const call = { target: x402ExactPermit2ProxyAddress, allowFailure: false } as const
      const hash = await wallet.writeContract({
        ...{ address: MULTICALL, abi: multicall3Abi, functionName: 'aggregate3' },
        args: [[{ ...call, callData: callOf(payload, extensions) }]],
      })
      await wallet.waitForTransactionReceipt({ hash })
      found.push(payment)
      hashes.push(hash)
    }
    for (const [index, { authorization }] of found.entries()) {
      expect(await exact.findForeign(kept(authorization), 0n)).toMatchObject({
        ...{ kind: 'paid', settlement: { hash: hashes[index] } },
      })
    }
    expect(await exact.findForeign(kept(isOpen.authorization), 0n)).toEqual({ kind: 'behind' })
    // Of a stranger's nonce nobody knows what else was signed with it.
    const [first] = found
    expect(first && (await exact.findForeign(first.authorization, 0n))).toBeUndefined()
  })
})

describe('a wallet of ours pays by upto', () => {
  const MOST = baseUnits(50_000n)
  const upto = (facilitatorAddress: unknown): Partial<PayOrder> => ({
    ...{ scheme: 'upto', amount: MOST },
    extra: { name: 'USDC', version: '2', facilitatorAddress },
  })
  let both: ExactPayments
  beforeAll(() => {
    const { exact: connected } = connect(['exact', 'upto'])
    if (connected === undefined) throw new Error('no exact')
    both = connected
  })
  async function signedFor(payer: TestWallet, facilitator: string) {
    const outcome = await prepare(order(payer, upto(facilitator)), both)
    if (outcome?.ok !== true) throw new Error(`not prepared: ${outcome?.reason}`)
    return outcome.prepared.sign(payer.signer)
  }

  test('for whom the seller names, who takes as much as it says, and the chain tells how much that was', async () => {
    const payer = await world.wallet(['USDC', '1'])
    const { payload, authorization, extensions } = await signedFor(payer, settler.address)
    expect(payload).toMatchObject({
      permit2Authorization: {
        ...{ spender: PROXIES.upto, permitted: { amount: `${MOST}` } },
        witness: { to: SELLER, facilitator: settler.address },
      },
    })
    expect(extensions).toMatchObject({ eip2612GasSponsoring: { info: { amount: `${MOST}` } } })
    expect(await both.findForeign(kept(authorization), 0n)).toEqual({ kind: 'behind' })
    const asked = both.read(payload, {
      ...{ asset: USDC, payTo: SELLER, amount: baseUnits(12_345n), extra: EXTRA },
      ...{ settlers: new Set([settler.address]), scheme: 'upto', isSettling: true },
      ...{ x402Version: 2, extensions: extensions ?? {} },
    })
    if (!asked.ok) throw new Error(asked.reason)
    const hash = await settle(asked.authorization)
    expect(await both.findForeign(kept(authorization), 0n)).toMatchObject({
      ...{ kind: 'paid', settlement: { hash, taken: 12_345n } },
    })
    expect(await balanceOf(payer.address)).toBe(1_000_000n - 12_345n)
  })

  test('and when that is a contract, what it took is known as well', async () => {
    const payer = await world.wallet(['USDC', '1'])
    const wallet = await stranger()
    // Whoever calls this one settles by it.
    const { authorization } = await signedFor(payer, MULTICALL)
    const { authorization: terms } = openPermit2Reader(84_532n, ['upto']).restore(
      authorization.stored,
    )
    const { data } = permit2Call({ ...terms, value: 7n }, { withPermit: true })
    const callData: Hex = `0x${Buffer.from(data).toString('hex')}`
    const call = { target: getAddress(PROXIES.upto), allowFailure: false, callData }
    // Beside it the token logs transfers of nothing, as anybody can have it do.
    const token = getAddress(USDC.asset)
    const args = [getAddress(payer.address), getAddress(SELLER), 0n] as const
    const zero = encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args })
    const spam = { target: token, allowFailure: false, callData: zero }
    const hash = await wallet.writeContract({
      ...{ address: MULTICALL, abi: multicall3Abi, functionName: 'aggregate3' },
      args: [[spam, call, spam]],
    })
    await wallet.waitForTransactionReceipt({ hash })
    expect(await both.findForeign(kept(authorization), 0n)).toMatchObject({
      ...{ kind: 'paid', settlement: { hash, taken: 7n } },
    })
  })

  test('but for nobody, and not where its proxy is not', async () => {
    const payer = await world.wallet(['USDC', '1'])
    const reasonOf = async (facilitator: unknown, on = both) => {
      const outcome = await prepare(order(payer, upto(facilitator)), on)
      return outcome?.ok === false ? outcome.reason : 'signed'
    }
    const nobody = `0x${'0'.repeat(40)}`
    for (const named of [
      ...[undefined, null, 7, '', nobody, settler.address.slice(0, -1)],
      ...[payer.address, USDC.asset, PERMIT2, PROXIES.exact, PROXIES.upto],
    ]) {
      expect(await reasonOf(named)).toBe('facilitator')
    }
    expect(await reasonOf(settler.address, exact)).toBe('method')
    expect(await reasonOf(settler.address)).toBe('signed')
  })
})
