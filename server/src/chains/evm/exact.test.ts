import { baseUnits } from '@florin/wire/amount.ts'
import { fieldsOf } from '@florin/wire/x402/fields.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../kernel/until.ts'
import type { Address, TransactionHash } from '../chain.ts'
import type { ExactAuthorization, ExactPayments, ExactDemand } from '../exact.ts'
import { addressFromBytes } from './account.ts'
import { startTestChain } from './test-chain.ts'
import type { TestChain, TestWallet } from './test-chain.ts'
import { USDC } from './test-network.ts'
import { testPayer } from './test-payer.ts'
import type { AuthorizeOrder, TestPayer } from './test-payer.ts'

const SELLER = addressFromBytes(new Uint8Array(20).fill(0x51))
const PRICE = baseUnits(10_000n)
/** Half of the group order of secp256k1, rounded down; and the order. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

let world: TestChain
let exact: ExactPayments
let settler: TestWallet
beforeAll(async () => {
  world = await startTestChain()
  if (world.chain.exact === undefined) throw new Error('no exact')
  exact = world.chain.exact
  settler = await world.wallet(['native', '2'])
})
afterAll(async () => {
  await world.sandbox.stop()
})

function demand(change: Partial<ExactDemand> = {}): ExactDemand {
  const extra = { name: 'USDC', version: '2' }
  return { asset: USDC, payTo: SELLER, amount: PRICE, extra, settlers: new Set(), ...change }
}

async function fundedPayer(): Promise<TestPayer> {
  const payer = testPayer()
  await world.sandbox.fund(payer.address, 'USDC', '1')
  return payer
}

async function authorized(
  payer: TestPayer,
  change: Partial<AuthorizeOrder> = {},
): Promise<ExactAuthorization> {
  const payload = await payer.authorize({ asset: USDC, to: SELLER, amount: PRICE, ...change })
  return readOf(payload, demand(change.domain === undefined ? {} : { extra: { ...change.domain } }))
}

function readOf(payload: Fields, wanted: ExactDemand): ExactAuthorization {
  const read = exact.read(payload, wanted)
  if (!read.ok) throw new Error(read.reason)
  return read.authorization
}

/** Settles from the settler, as the sender would; its nonce follows from the chain. */
async function settle(authorization: ExactAuthorization): Promise<TransactionHash> {
  const drafted = await exact.draft(authorization, settler.address)
  if (!drafted.ok) throw new Error(drafted.reason)
  const { terms, laneLatest } = drafted.draft
  const signed = await world.chain.sign(terms, laneLatest, settler.signer)
  await world.chain.broadcast([signed.raw])
  await until('it is mined', async () => (await stateOf(signed.hash)) === 'mined', { seconds: 30 })
  return signed.hash
}

async function stateOf(hash: TransactionHash): Promise<string | undefined> {
  return (await world.chain.outcomes([hash]))[0]?.state
}

async function usdcOf(address: Address): Promise<bigint> {
  return (await world.chain.balances(address, [USDC])).amounts[0] ?? -1n
}

describe('the gas of a settlement', () => {
  const gasOf = async (payer: TestPayer, to: Address) => {
    const payload = await payer.authorize({ asset: USDC, to, amount: PRICE })
    const authorization = readOf(payload, demand({ payTo: to }))
    const drafted = await exact.draft(authorization, settler.address)
    if (!drafted.ok) throw new Error(drafted.reason)
    return { authorization, gas: BigInt(String(fieldsOf(drafted.draft.terms)?.['gas'])) }
  }

  test('is what the token took so far, until one takes more', async () => {
    const payer = await fundedPayer()
    const other = addressFromBytes(new Uint8Array(20).fill(0x52))
    // Its account holds the token already, so that a transfer to it writes less than one to a new holder.
    await world.sandbox.fund(other, 'USDC', '1')
    const known = await gasOf(payer, other)
    expect((await gasOf(payer, other)).gas).toBe(known.gas)
    const first = await gasOf(payer, addressFromBytes(new Uint8Array(20).fill(0x53)))
    expect(first.gas).toBeGreaterThan(known.gas)
    // Whoever takes less is offered as much from then on: it is a limit, and what is not used is not paid.
    expect((await gasOf(payer, other)).gas).toBe(first.gas)
    await settle(first.authorization)
    expect(await usdcOf(first.authorization.payTo)).toBe(PRICE)
  })

  test('is taught by nobody who is refused', async () => {
    const other = addressFromBytes(new Uint8Array(20).fill(0x52))
    const before = await gasOf(await fundedPayer(), other)
    const payer = await fundedPayer()
    const payload = await payer.authorize({ asset: USDC, to: other, amount: PRICE })
    const authorization = readOf(payload, demand({ payTo: other }))
    // Code that takes its time and then says that it has signed.
    const loop = '0x611f405b6001900380600357631626ba7e60e01b5f5260205ff3'
    await world.rpc('anvil_setCode', payer.address, loop)
    expect(await exact.draft(authorization, settler.address)).toMatchObject({ ok: false })
    expect((await gasOf(await fundedPayer(), other)).gas).toBe(before.gas)
  })
})

describe('a payload that another library signed', () => {
  test('is read, checked, settled once, and then is used', async () => {
    const payer = await fundedPayer()
    const before = await usdcOf(SELLER)
    const authorization = await authorized(payer)
    expect(authorization.payer).toBe(payer.address)
    expect(await exact.check(authorization)).toEqual({ ok: true })
    const hash = await settle(authorization)
    expect(await usdcOf(SELLER)).toBe(before + PRICE)
    expect(await exact.check(authorization)).toEqual({
      ok: false,
      reason: 'invalid_exact_evm_nonce_already_used',
      isUsed: true,
    })
    expect(await exact.draft(authorization, settler.address)).toMatchObject({ ok: false })
    expect(await exact.findForeign(authorization, 0n)).toMatchObject({
      kind: 'paid',
      settlement: { hash },
    })
    await until(
      'its use is final',
      async () => (await exact.finalState(authorization)) === 'used',
      { seconds: 30 },
    )
  })

  test('is open at finality while nobody used it', async () => {
    const authorization = await authorized(await fundedPayer())
    expect(await exact.finalState(authorization)).toBe('open')
    expect(await exact.findForeign(authorization, 0n)).toEqual({ kind: 'behind' })
  })

  test('expires by the chain’s final time', async () => {
    const authorization = await authorized(await fundedPayer(), {
      validBefore: BigInt(Math.floor(Date.now() / 1000) - 60),
    })
    await until(
      'it is expired',
      async () => (await exact.finalState(authorization)) === 'expired',
      { seconds: 30 },
    )
    expect(await exact.check(authorization)).toMatchObject({
      reason: 'invalid_exact_evm_payload_authorization_valid_before',
    })
  })
})

describe('the reading of a payload', () => {
  const refusal = async (
    change: Partial<AuthorizeOrder>,
    wanted: Partial<ExactDemand>,
  ): Promise<unknown> => {
    const payload = await testPayer().authorize({
      asset: USDC,
      to: SELLER,
      amount: PRICE,
      ...change,
    })
    const read = exact.read(payload, demand(wanted))
    return read.ok ? 'taken' : read.reason
  }

  test.each<[string, Partial<AuthorizeOrder>, Partial<ExactDemand>, string]>([
    ['as asked for', {}, {}, 'taken'],
    [
      'another recipient',
      { to: USDC.asset as Address },
      {},
      'invalid_exact_evm_recipient_mismatch',
    ],
    [
      'one unit less',
      { amount: 9_999n },
      {},
      'invalid_exact_evm_payload_authorization_value_mismatch',
    ],
    [
      'one unit more',
      { amount: 10_001n },
      {},
      'invalid_exact_evm_payload_authorization_value_mismatch',
    ],
    ['signed for another chain', { chainId: 8_453 }, {}, 'invalid_exact_evm_signature'],
    ['no domain asked for', {}, { extra: {} }, 'invalid_exact_evm_missing_eip712_domain'],
    [
      'another name asked for',
      {},
      { extra: { name: 'USD', version: '2' } },
      'invalid_exact_evm_signature',
    ],
  ])('%s', async (_, change, wanted, reason) => {
    expect(await refusal(change, wanted)).toBe(reason)
  })

  test('refuses the other spellings of one signature', async () => {
    const payload = await testPayer().authorize({ asset: USDC, to: SELLER, amount: PRICE })
    const signature = String(payload['signature'])
    const s = BigInt(`0x${signature.slice(66, 130)}`)
    const v = signature.slice(130)
    const otherV = v === '1b' ? '1c' : '1b'
    const highS = (ORDER - s).toString(16).padStart(64, '0')
    const spellings = [
      signature.slice(0, 66) + highS + otherV,
      signature.slice(0, 130),
      `${signature}00`,
      signature.slice(0, 130) + otherV,
    ]
    for (const spelled of spellings) {
      expect(exact.read({ ...payload, signature: spelled }, demand())).toMatchObject({
        ok: false,
        reason: 'invalid_exact_evm_signature',
      })
    }
  })

  test('knows one authorization by its content, however it is written', async () => {
    const payload = await testPayer().authorize({ asset: USDC, to: SELLER, amount: PRICE })
    const authorization = Object(payload['authorization']) as Record<string, string>
    const shouted = {
      signature: String(payload['signature']).replace('0x', '0X').toUpperCase().replace('0X', '0x'),
      authorization: {
        ...authorization,
        from: String(authorization['from']).toLowerCase(),
        nonce: `0x${String(authorization['nonce']).slice(2).toUpperCase()}`,
      },
      more: 'fields',
    }
    expect(readOf(shouted, demand()).proofKey).toBe(readOf(payload, demand()).proofKey)
  })
})

describe('the check', () => {
  test.each<[string, (payer: TestPayer) => Promise<ExactAuthorization>, string]>([
    [
      'a payer without the money',
      async () => authorized(testPayer()),
      'invalid_exact_evm_insufficient_balance',
    ],
    [
      'a domain that is not the token’s',
      async (payer) => authorized(payer, { domain: { name: 'USD Coin', version: '2' } }),
      'invalid_exact_evm_token_name_mismatch',
    ],
    [
      'a version that is not the token’s',
      async (payer) => authorized(payer, { domain: { name: 'USDC', version: '1' } }),
      'invalid_exact_evm_token_version_mismatch',
    ],
    [
      'an hour too early',
      async (payer) =>
        authorized(payer, {
          validAfter: BigInt(Math.floor(Date.now() / 1000) + 3600),
          validBefore: BigInt(Math.floor(Date.now() / 1000) + 7200),
        }),
      'invalid_exact_evm_payload_authorization_valid_after',
    ],
  ])('refuses %s', async (_, make, reason) => {
    expect(await exact.check(await make(await fundedPayer()))).toMatchObject({ ok: false, reason })
  })

  test('refuses an account with code, since the token would ask that code', async () => {
    const payer = await fundedPayer()
    const authorization = await authorized(payer)
    // A delegation as EIP-7702 writes it.
    await world.rpc('anvil_setCode', payer.address, `0xef0100${'11'.repeat(20)}`)
    expect(await exact.check(authorization)).toMatchObject({
      ok: false,
      reason: 'invalid_exact_evm_signature',
    })
  })

  test('of a hundred at the same moment takes a handful of requests', async () => {
    const payers = Array.from({ length: 100 }, () => testPayer())
    const ready = await Promise.all(payers.map((payer) => authorized(payer)))
    world.requests()
    const checks = await Promise.all(ready.map((authorization) => exact.check(authorization)))
    expect(checks.every((check) => !check.ok)).toBe(true)
    expect(world.requests()).toBeLessThanOrEqual(6)
  })
})

test('a token that does not know authorizations is not a payment', async () => {
  const token = await world.contract('0x5f5ffd')
  const asset = { ...USDC, asset: token }
  const payload = await testPayer().authorize({ asset, to: SELLER, amount: PRICE })
  const read = exact.read(payload, demand({ asset }))
  if (!read.ok) throw new Error(read.reason)
  await expect(exact.check(read.authorization)).rejects.toThrow()
})
