import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { createPublicClient, http } from 'viem'
import { baseSepolia } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ExactPayments } from '../exact.ts'
import type { TestChain, TestWallet } from './test-chain.ts'
import { testPayer } from './test-payer.ts'
import type { TestPayer } from './test-payer.ts'
import { NATIVE, USDC } from './test-network.ts'
import {
  ASSET,
  demand,
  hex,
  more,
  openWalletWorld,
  PRICE,
  SELLER,
  signed,
  withSignature,
} from './test-wallets.ts'
import type { Trick, WalletWorld } from './test-wallets.ts'

const NOBODY = '0x0000000000000000000000000000000000000000'

let world: TestChain
let exact: ExactPayments
let settler: TestWallet
let wallets: WalletWorld
beforeAll(async () => {
  wallets = await openWalletWorld()
  ;({ world, exact, settler } = wallets)
})
afterAll(async () => {
  await world.sandbox.stop()
})

describe('an account with code', () => {
  test.each([
    ['that takes a signature of 65 bytes', (signature: string) => signature],
    ['that takes a longer one', more],
  ])('%s pays by its own word, alone', async (_, change) => {
    const owner = testPayer()
    const payload = withSignature(await signed(owner, await wallets.walletOf(owner)), change)
    const authorization = wallets.readOf(payload)
    expect(authorization.awaitsCode).toBe(true)
    const drafted = await exact.draft(authorization, settler.address)
    expect(drafted).toMatchObject({ ok: true, draft: { isAlone: true } })
    await wallets.expectPaid(authorization)
  })

  test('is known again from what was stored of it', async () => {
    const owner = testPayer()
    const authorization = wallets.readOf(
      withSignature(await signed(owner, await wallets.walletOf(owner)), more),
    )
    const stored = JSON.parse(JSON.stringify(authorization.stored)) as Record<string, string>
    await wallets.expectPaid({ ...authorization, stored })
  })

  test('is refused when another key signed, wherever its money is', async () => {
    const wallet = await wallets.walletOf(testPayer())
    const authorization = wallets.readOf(await signed(testPayer(), wallet))
    expect(await exact.check(authorization)).toEqual({
      ok: false,
      reason: 'invalid_exact_evm_signature',
    })
    expect(await exact.draft(authorization, settler.address)).toMatchObject({ ok: false })
  })

  test('is asked by nobody where the token asks no code', async () => {
    const owner = testPayer()
    const payload = await signed(owner, await wallets.walletOf(owner))
    expect(exact.read(payload, { ...demand, asset: USDC })).toMatchObject({
      ok: false,
      reason: 'invalid_exact_evm_signature',
    })
  })

  test('that takes more than the usual gas keeps nobody from being judged by a run', async () => {
    const asked = { ...demand, judgedBy: 'draft' as const }
    const pay = async (by: TestPayer, from = by.address) => {
      const read = exact.read(await signed(by, from), asked)
      if (!read.ok) throw new Error(read.reason)
      expect(await exact.draft(read.authorization, settler.address)).toMatchObject({ ok: true })
      return read.authorization.isUnjudged
    }
    const payer = testPayer()
    await world.sandbox.fund(payer.address, 'USDC', '1')
    await pay(payer)
    const owner = testPayer()
    expect(await pay(owner, await wallets.walletOf(owner, 'is slow'))).toBe(true)
    expect(await pay(payer)).toBe(true)
  })

  test('without the money is told so, and not that it did not sign', async () => {
    const owner = testPayer()
    const wallet = await world.contract(await wallets.runtime('none', owner.address))
    expect(await exact.check(wallets.readOf(await signed(owner, wallet)))).toEqual({
      ok: false,
      reason: 'invalid_exact_evm_insufficient_balance',
    })
  })
})

describe('a key that delegated to code (EIP-7702)', () => {
  async function delegated(trick: Trick): Promise<TestPayer> {
    const payer = testPayer()
    await world.sandbox.fund(payer.address, 'USDC', '1')
    const code = await world.contract(await wallets.runtime(trick, NOBODY))
    await world.rpc('anvil_setCode', payer.address, `0xef0100${code.slice(2)}`)
    return payer
  }

  test.each([
    ['its plain signature', (signature: string) => signature],
    ['a signature that only the code can read', more],
  ])('pays by %s, when the code takes it', async (_, change) => {
    const payer = await delegated('none')
    await wallets.expectPaid(
      wallets.readOf(withSignature(await signed(payer, payer.address), change)),
    )
  })

  test('is refused when the code does not take its plain signature: no token would', async () => {
    const payer = await delegated('says another word')
    const authorization = wallets.readOf(await signed(payer, payer.address))
    expect(await exact.check(authorization)).toMatchObject({
      reason: 'invalid_exact_evm_signature',
    })
    expect(await exact.draft(authorization, settler.address)).toMatchObject({ ok: false })
  })

  test('that delegates between verify and settle is asked again at settle', async () => {
    const payer = testPayer()
    await world.sandbox.fund(payer.address, 'USDC', '1')
    const authorization = wallets.readOf(await signed(payer, payer.address))
    expect(await exact.check(authorization)).toEqual({ ok: true })
    const code = await world.contract(await wallets.runtime('reverts', NOBODY))
    await world.rpc('anvil_setCode', payer.address, `0xef0100${code.slice(2)}`)
    expect(await exact.draft(authorization, settler.address)).toMatchObject({
      ok: false,
      reason: 'invalid_exact_evm_signature',
    })
  })
})

test('what an account with code has paid shows as used when its code has changed, once it was judged', async () => {
  const owner = testPayer()
  const from = await wallets.walletOf(owner)
  const authorization = wallets.readOf(await signed(owner, from))
  await wallets.expectPaid(authorization)
  await world.rpc('anvil_setCode', from, await wallets.runtime('reverts', NOBODY))
  const refused = { ok: false, reason: 'invalid_exact_evm_signature' }
  // Whoever shows it for the first time proves nothing by a nonce that somebody used.
  expect(await exact.check(authorization)).toEqual(refused)
  const judged = { ...authorization, wasJudged: true } as const
  expect(await exact.check(judged)).toEqual({ ...refused, isUsed: true })
  expect(await exact.draft(judged, settler.address)).toMatchObject({ ...refused, isUsed: true })
})

test('a plain key whose signature is another’s is refused by the check', async () => {
  const payer = testPayer()
  await world.sandbox.fund(payer.address, 'USDC', '1')
  const authorization = wallets.readOf(await signed(testPayer(), payer.address))
  expect(await exact.check(authorization)).toEqual({
    ok: false,
    reason: 'invalid_exact_evm_signature',
  })
  expect(await exact.draft(authorization, settler.address)).toMatchObject({ ok: false })
})

describe('an account that breaks a promise', () => {
  test.each<[Trick, string | null]>([
    ['burns gas', 'invalid_exact_evm_signature'],
    ['reverts', 'invalid_exact_evm_signature'],
    ['says another word', 'invalid_exact_evm_signature'],
    ['says half a word', 'invalid_exact_evm_signature'],
    ['reenters', 'invalid_exact_evm_transaction_simulation_failed'],
    ['is slow', null],
    ['lies in simulations', null],
  ])('and %s gets this verdict, with the node none the worse', async (trick, reason) => {
    const owner = testPayer()
    const authorization = wallets.readOf(await signed(owner, await wallets.walletOf(owner, trick)))
    const check = await exact.check(authorization)
    expect(check.ok ? null : check.reason).toBe(reason)
    const drafted = await exact.draft(authorization, settler.address)
    expect(drafted.ok).toBe(reason === null)
  })

  test('and returns much costs no more than its gas', async () => {
    const owner = testPayer()
    const authorization = wallets.readOf(
      await signed(owner, await wallets.walletOf(owner, 'returns much')),
    )
    const check = await exact.check(authorization)
    if (check.ok) await wallets.expectPaid(authorization)
    else expect(check.reason).toMatch(/signature|simulation_failed/)
  })

  test('and refuses on chain what it took before pays nobody, and takes no more than the bound of gas', async () => {
    const owner = testPayer()
    const wallet = await wallets.walletOf(owner, 'lies in simulations')
    const authorization = wallets.readOf(await signed(owner, wallet))
    const [held, before] = await Promise.all([
      wallets.usdcOf(SELLER),
      wallets.chain.balances(settler.address, [NATIVE]),
    ])
    const hash = await wallets.settle(authorization)
    const [outcome] = await wallets.chain.outcomes([hash])
    expect(outcome).toMatchObject({ state: 'mined', succeeded: false })
    expect(await wallets.usdcOf(SELLER)).toBe(held)
    expect(await exact.findForeign(authorization, 0n)).toEqual({ kind: 'behind' })
    const after = await wallets.chain.balances(settler.address, [NATIVE])
    const taken = (before.amounts[0] ?? 0n) - (after.amounts[0] ?? 0n)
    expect(taken).toBeLessThan(300_000n * 100_000_000_000n)
  })
})

test('the reference says the same of accounts with code', async () => {
  const client = createPublicClient({
    chain: baseSepolia,
    transport: http(world.sandbox.rpcUrl),
  })
  const never = async (): Promise<never> => {
    throw new Error('a verification sends nothing')
  }
  const scheme = new ExactEvmScheme(
    toFacilitatorEvmSigner({
      address: hex(settler.address),
      readContract: (call) => client.readContract(call),
      verifyTypedData: never,
      writeContract: never,
      sendTransaction: never,
      waitForTransactionReceipt: never,
      getCode: (call) => client.getCode(call),
    }),
  )
  const requirements = {
    scheme: 'exact',
    network: 'eip155:84532',
    asset: ASSET.asset,
    payTo: SELLER,
    amount: `${PRICE}`,
    maxTimeoutSeconds: 60,
    extra: { name: 'USDC', version: '2' },
  } as const
  const owner = testPayer()
  const ours = await wallets.walletOf(owner)
  const cases: Fields[] = [
    await signed(owner, ours),
    withSignature(await signed(owner, ours), more),
    await signed(testPayer(), ours),
  ]
  for (const trick of ['reverts', 'says another word', 'burns gas'] as const) {
    cases.push(await signed(owner, await wallets.walletOf(owner, trick)))
  }
  for (const payload of cases) {
    const check = await exact.check(wallets.readOf(payload))
    const theirs = await scheme.verify(
      { x402Version: 2, accepted: requirements, payload: { ...payload } },
      requirements,
    )
    expect(check.ok ? undefined : check.reason).toBe(theirs.invalidReason)
  }
})
