import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit'
import type { PaymentRequirements } from '@x402/core/types'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { ExactSvmSchemeV1 } from '@x402/svm/exact/v1/client'
import { baseUnits } from '@florin/wire/amount.ts'
import { fieldsOf } from '@florin/wire/x402/fields.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { SignedTransaction } from '../chain.ts'
import type { ExactAuthorization, ExactDemand, ExactPayments } from '../exact.ts'
import { TOKEN_2022_PROGRAM } from './programs.ts'
import { startExactScene } from './test-exact-scene.ts'
import type { ExactScene } from './test-exact-scene.ts'
import type { TestChain, TestWallet } from './test-chain.ts'
import { NETWORK, USDC } from './test-network.ts'
import { limit, messageOf, newKey, PRICE, price, sealed, transfer } from './test-payment.ts'
import type { Key, Paying, Step } from './test-payment.ts'

let scene: ExactScene
let world: TestChain
let exact: ExactPayments
let settler: TestWallet
let seller: TestWallet
let payer: Key
beforeAll(async () => {
  scene = await startExactScene()
  ;({ world, exact, settler, seller, payer } = scene)
})
afterEach(() => world.sandbox.clearFaults())
afterAll(() => world?.sandbox.stop())

function demand(change: Partial<ExactDemand> = {}): ExactDemand {
  return {
    asset: USDC,
    payTo: seller.address,
    amount: baseUnits(PRICE),
    extra: { feePayer: settler.address },
    settlers: new Set([settler.address]),
    ...change,
  }
}

function readOf(payload: Fields, wanted = demand()): ExactAuthorization {
  const read = exact.read(payload, wanted)
  if (!read.ok) throw new Error(read.reason)
  return read.authorization
}

function reasonOf(payload: Fields, wanted = demand()): string {
  const read = exact.read(payload, wanted)
  return read.ok ? 'taken' : read.reason
}

/** What the stock client of a version makes. */
async function stockPayload(extra: Fields = {}, version: 1 | 2 = 2): Promise<Fields> {
  const signer = await createKeyPairSignerFromPrivateKeyBytes(payer.secret)
  const config = { rpcUrl: world.sandbox.solana.rpcUrl }
  const requirements = {
    scheme: 'exact',
    network: version === 1 ? 'solana-devnet' : NETWORK,
    asset: USDC.asset,
    payTo: seller.address,
    amount: `${PRICE}`,
    maxAmountRequired: `${PRICE}`,
    maxTimeoutSeconds: 60,
    extra: { feePayer: settler.address, ...extra },
  } as PaymentRequirements
  const scheme =
    version === 1 ? new ExactSvmSchemeV1(signer, config) : new ExactSvmScheme(signer, config)
  const { payload } = await scheme.createPaymentPayload(version, requirements)
  return fieldsOf(payload) ?? {}
}

/** A payment of our own making, for what no client would make. */
async function madePayload(change: Partial<Paying> = {}, steps?: readonly Step[]): Promise<Fields> {
  const moving = transfer({ from: payer.address, to: seller.address, ...change })
  const blockhash = await world.latestBlockhash()
  const all = steps ?? [limit(30_000), price(1n), moving]
  const message = messageOf(settler.address, all, { blockhash })
  return payloadOf(sealed(message, [payer]))
}

function payloadOf(bytes: Uint8Array): Fields {
  return { transaction: Buffer.from(bytes).toString('base64') }
}

function bytesOf(payload: Fields): Buffer {
  return Buffer.from(String(payload['transaction']), 'base64')
}

async function lamportsOf({ address }: TestWallet): Promise<bigint> {
  const { value } = (await world.rpc('getBalance', address, { commitment: 'confirmed' })) as {
    value: number
  }
  return BigInt(value)
}

/** Drafts and signs, as the sender would. */
async function signedBySettler(authorization: ExactAuthorization): Promise<SignedTransaction> {
  const drafted = await exact.draft(authorization, settler.address)
  if (!drafted.ok) throw new Error(drafted.reason)
  expect(drafted.draft.feeCeiling).toBe(BigInt(authorization.stored['fee'] ?? ''))
  expect(drafted.draft.settlerBalance).toBe(await lamportsOf(settler))
  return world.chain.sign(drafted.draft.terms, 0n, settler.signer)
}

describe('a payload of the stock client', () => {
  test.each([1, 2] as const)(
    'of version %i is read, checked, signed by the settler, and lands once',
    async (version) => {
      const before = [
        await scene.usdcOf(seller.address),
        await scene.usdcOf(payer.address),
      ] as const
      const lamports = await lamportsOf(settler)
      const authorization = readOf(await stockPayload({}, version))
      expect(authorization).toMatchObject({
        payer: payer.address,
        payTo: seller.address,
        amount: PRICE,
        feePayer: settler.address,
        validBeforeSeconds: null,
      })
      expect(await exact.check(authorization)).toEqual({ ok: true })
      const signed = await signedBySettler(authorization)
      await world.chain.broadcast([signed.raw, signed.raw])
      expect(await world.mined(signed.hash)).toMatchObject({ succeeded: true })
      await world.chain.broadcast([signed.raw])
      await world.pass(2)
      expect(await scene.usdcOf(seller.address)).toBe(before[0] + PRICE)
      expect(await scene.usdcOf(payer.address)).toBe(before[1] - PRICE)
      // To the lamport what the layout said.
      expect(lamports - (await lamportsOf(settler))).toBe(BigInt(authorization.stored['fee'] ?? ''))
      const again = await exact.check(authorization)
      expect(again).toMatchObject({ reason: 'invalid_exact_svm_transaction_simulation_failed' })
      expect(await exact.draft(authorization, settler.address)).toMatchObject({ ok: false })
    },
  )

  test('with the memo that the seller asked for', async () => {
    const extra = { feePayer: settler.address, memo: 'order 7' }
    const payload = await stockPayload({ memo: 'order 7' })
    expect(reasonOf(payload, demand({ extra }))).toBe('taken')
    expect(reasonOf(await stockPayload(), demand({ extra }))).toBe(
      'invalid_exact_svm_payload_memo_mismatch',
    )
  })

  test('is of an account that nothing was paid to before: refused by the rehearsal', async () => {
    const nobody = newKey().address
    const payload = await madePayload({ to: nobody })
    const authorization = readOf(payload, demand({ payTo: nobody }))
    expect(await exact.check(authorization)).toMatchObject({
      ok: false,
      reason: 'invalid_exact_svm_transaction_simulation_failed',
    })
  })
})

describe('one payment', () => {
  test('has one key, whatever stands in the fee payer’s place', async () => {
    const payload = await stockPayload()
    const first = readOf(payload)
    for (const fill of [0x01, 0xff]) {
      const bytes = bytesOf(payload)
      bytes.fill(fill, 1, 65)
      const other = readOf(payloadOf(bytes))
      expect(other.proofKey).toBe(first.proofKey)
      expect(other.stored).toEqual(first.stored)
    }
  })

  test('has one key in any spelling that is taken, and other spellings are refused', async () => {
    const payload = await stockPayload()
    const text = String(payload['transaction'])
    const { proofKey } = readOf(payload)
    const undecoded = 'invalid_exact_svm_payload_transaction_could_not_be_decoded'
    const spellings: unknown[] = [
      ` ${text}`,
      `${text}\n`,
      text.replace(/=*$/, ''),
      text.replaceAll('+', '-').replaceAll('/', '_'),
      `${text}AAAA`,
      text.slice(0, -4),
      `${text.slice(0, 8)} ${text.slice(8)}`,
      '',
      'A'.repeat(1_648),
      [text],
      { text },
      7,
      null,
      undefined,
    ]
    for (const transaction of spellings) {
      const read = exact.read({ transaction }, demand())
      if (read.ok) expect(read.authorization.proofKey).toBe(proofKey)
      else expect(read.reason).toBe(undecoded)
    }
    expect(reasonOf({ transaction: text, more: 'fields' })).toBe('taken')
  })

  test('has another key when it is another payment', async () => {
    const keys = await Promise.all(
      Array.from({ length: 5 }, async () => readOf(await stockPayload()).proofKey),
    )
    expect(new Set(keys).size).toBe(5)
  })
})

describe('a signature', () => {
  const invalid = 'invalid_exact_svm_payload_signature_invalid'
  const place = 65

  test('that is missing, wrong, or of another message is refused', async () => {
    const [payload, other] = [await stockPayload(), await stockPayload()]
    const missing = bytesOf(payload).fill(0, place, place + 64)
    expect(reasonOf(payloadOf(missing))).toBe(invalid)
    const foreign = bytesOf(payload)
    bytesOf(other).copy(foreign, place, place, place + 64)
    expect(reasonOf(payloadOf(foreign))).toBe(invalid)
    const swapped = bytesOf(payload)
    bytesOf(payload).copy(swapped, 1, place, place + 64)
    swapped.fill(7, place, place + 64)
    expect(reasonOf(payloadOf(swapped))).toBe(invalid)
  })

  test('with any bit turned is refused', async () => {
    const payload = await stockPayload()
    for (let bit = 0; bit < 512; bit += 1) {
      const bytes = bytesOf(payload)
      const at = place + (bit >> 3)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7))
      expect(reasonOf(payloadOf(bytes))).toBe(invalid)
    }
  })

  test('with the order added to S is refused', async () => {
    const order = 2n ** 252n + 27742317777372353535851937790883648493n
    const bytes = bytesOf(await stockPayload())
    const half = bytes.subarray(place + 32, place + 64)
    const s = BigInt(`0x${Buffer.from(half.toReversed()).toString('hex')}`)
    const added = (s + order).toString(16).padStart(64, '0')
    half.set(Buffer.from(added, 'hex').toReversed())
    expect(reasonOf(payloadOf(bytes))).toBe(invalid)
  })

  test('is over every byte of the message', async () => {
    const payload = await stockPayload()
    const messageAt = 129
    for (let at = messageAt; at < bytesOf(payload).length; at += 1) {
      const bytes = bytesOf(payload)
      bytes[at] = (bytes[at] ?? 0) ^ 1
      expect(reasonOf(payloadOf(bytes))).not.toBe('taken')
    }
  })
})

describe('the fee payer', () => {
  test.each<[string, Fields, string]>([
    ['nobody', {}, 'invalid_exact_svm_payload_missing_fee_payer'],
    ['no address', { feePayer: 'me' }, 'invalid_exact_svm_fee_payer_not_managed_by_facilitator'],
    ['not text', { feePayer: 7 }, 'invalid_exact_svm_payload_missing_fee_payer'],
    [
      'a stranger',
      { feePayer: USDC.asset },
      'invalid_exact_svm_fee_payer_not_managed_by_facilitator',
    ],
  ])('that is asked for is %s', async (_, extra, reason) => {
    expect(reasonOf(await stockPayload(), demand({ extra }))).toBe(reason)
  })

  test('is another of ours than the one that was asked for', async () => {
    const other = newKey().address
    const wanted = demand({
      extra: { feePayer: other },
      settlers: new Set([settler.address, other]),
    })
    expect(reasonOf(await stockPayload(), wanted)).toBe('invalid_exact_svm_fee_payer_mismatch')
  })

  test('signs only what was read: terms of another fee payer are refused', async () => {
    const authorization = readOf(await stockPayload())
    const drafted = await exact.draft(authorization, settler.address)
    if (!drafted.ok) throw new Error(drafted.reason)
    await expect(world.chain.sign(drafted.draft.terms, 0n, seller.signer)).rejects.toThrow()
    const other = await exact.draft(authorization, seller.address)
    if (!other.ok) throw new Error(other.reason)
    await expect(world.chain.sign(other.draft.terms, 0n, seller.signer)).rejects.toThrow()
  })
})

describe('the rehearsal', () => {
  const failed = { ok: false, reason: 'invalid_exact_svm_transaction_simulation_failed' }

  test('refuses a payer without the money', async () => {
    const poor = newKey()
    await world.sandbox.fund(poor.address, 'USDC', '0.1')
    const message = messageOf(
      settler.address,
      [limit(30_000), price(1n), transfer({ from: poor.address, to: seller.address })],
      { blockhash: await world.latestBlockhash() },
    )
    expect(await exact.check(readOf(payloadOf(sealed(message, [poor]))))).toMatchObject(failed)
  })

  test('refuses a token program that is not the mint’s', async () => {
    const payload = await madePayload({ program: TOKEN_2022_PROGRAM })
    expect(await exact.check(readOf(payload))).toMatchObject(failed)
  })

  test('refuses a limit below what the transfer takes', async () => {
    const moving = transfer({ from: payer.address, to: seller.address })
    const payload = await madePayload({}, [limit(100), price(1n), moving])
    expect(await exact.check(readOf(payload))).toMatchObject(failed)
  })

  test('refuses a blockhash that nobody knows, and one that is over', async () => {
    const moving = transfer({ from: payer.address, to: seller.address })
    const steps = [limit(30_000), price(1n), moving]
    const message = messageOf(settler.address, steps, { blockhash: newKey().address })
    expect(await exact.check(readOf(payloadOf(sealed(message, [payer]))))).toMatchObject(failed)
    const authorization = readOf(await stockPayload())
    await world.sandbox.fault({ chain: 'solana', kind: 'expire' })
    expect(await exact.check(authorization)).toMatchObject(failed)
    expect(await exact.draft(authorization, settler.address)).toMatchObject(failed)
  })

  test('of a fee payer of ours that has nothing is nobody’s fault, and says that it is low', async () => {
    const empty = newKey().address
    const wanted = demand({ extra: { feePayer: empty }, settlers: new Set([empty]) })
    const authorization = readOf(await stockPayload({ feePayer: empty }), wanted)
    expect(await exact.check(authorization)).toMatchObject({
      ...{ ok: false, reason: 'network_unavailable' },
    })
    const drafted = await exact.draft(authorization, empty)
    expect(drafted).toMatchObject({ ok: true, draft: { settlerBalance: 0n } })
    expect(drafted.ok && drafted.draft.feeCeiling).toBeGreaterThan(0n)
  })

  test('of a node that is behind a young blockhash is nobody’s fault', async () => {
    await world.pass(10)
    await world.chain.head()
    const authorization = readOf(await stockPayload())
    await world.sandbox.fault({ chain: 'solana', kind: 'lag', slots: 8 })
    expect(await exact.check(authorization)).toMatchObject({
      ...{ ok: false, reason: 'network_unavailable' },
    })
    await world.sandbox.clearFaults()
    expect(await exact.check(authorization)).toEqual({ ok: true })
  })

  test('of an outage is nobody’s fault', async () => {
    const authorization = readOf(await stockPayload())
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
