import { baseUnits } from '@florin/wire/amount.ts'
import fc from 'fast-check'
import { keccak256 as viemKeccak, serializeTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import type { Signer } from '../signer.ts'
import { addressFromBytes } from './account.ts'
import { keptTerms, wholeTerms } from './kept-terms.ts'
import { addressOfPrivateKey, signDigest } from './secp256k1.ts'
import { signTerms, unsignedBytes } from './sign.ts'
import { readTerms, writeTerms } from './terms.ts'
import type { EvmTerms } from './terms.ts'

const KEY = new Uint8Array(32).fill(7)
const KEY_HEX = `0x${'07'.repeat(32)}` as const
const SENDER = addressOfPrivateKey(KEY)
const UINT256_MAX = 2n ** 256n - 1n
const NONCE_MAX = 2n ** 53n - 1n

const hex = (bytes: Uint8Array): `0x${string}` => `0x${Buffer.from(bytes).toString('hex')}`
const signer: Signer = { address: SENDER, sign: async (digest) => signDigest(digest, KEY) }

/** Integers where encodings change their length are as likely as large ones. */
const integer = (max: bigint): fc.Arbitrary<bigint> =>
  fc.oneof(
    fc.bigInt({ min: 0n, max: max < 0x1ffn ? max : 0x1ffn }),
    fc.bigInt({ min: 0n, max }),
    fc.constant(max),
  )

const termsArbitrary: fc.Arbitrary<EvmTerms> = fc
  .record({
    chainId: fc.bigInt({ min: 1n, max: NONCE_MAX }),
    to: fc.uint8Array({ minLength: 20, maxLength: 20 }).map(addressFromBytes),
    value: integer(UINT256_MAX),
    data: fc.oneof(
      fc.uint8Array({ maxLength: 3 }),
      fc.uint8Array({ minLength: 36, maxLength: 36 }),
      fc.uint8Array({ minLength: 50, maxLength: 400 }),
    ),
    gas: integer(2n ** 64n - 1n),
    maxFeePerGas: integer(2n ** 128n),
    tip: integer(2n ** 128n),
    dataFeeMax: integer(UINT256_MAX),
  })
  .map(({ chainId, to, value, data, gas, maxFeePerGas, tip, dataFeeMax }) => ({
    chainId,
    sender: SENDER,
    call: { to, value, data: Uint8Array.from(data) },
    gas,
    fees: { maxFeePerGas, maxPriorityFeePerGas: tip < maxFeePerGas ? tip : maxFeePerGas },
    dataFeeMax: baseUnits(dataFeeMax),
  }))

function oracleFields({ chainId, call, gas, fees }: EvmTerms, nonce: bigint) {
  return {
    type: 'eip1559' as const,
    chainId: Number(chainId),
    nonce: Number(nonce),
    to: hex(Buffer.from(call.to.slice(2), 'hex')),
    value: call.value,
    data: hex(call.data),
    gas,
    ...fees,
  }
}

describe('signed bytes', () => {
  test('are those that viem makes of the same transaction', async () => {
    const account = privateKeyToAccount(KEY_HEX)
    await fc.assert(
      fc.asyncProperty(termsArbitrary, integer(NONCE_MAX), async (terms, nonce) => {
        const fields = oracleFields(terms, nonce)
        expect(hex(unsignedBytes(terms, nonce))).toBe(serializeTransaction(fields))
        const { raw, hash } = await signTerms(terms, nonce, signer)
        const oracle = await account.signTransaction(fields)
        expect(hex(raw)).toBe(oracle)
        expect(hash).toBe(viemKeccak(oracle))
      }),
      { numRuns: 200 },
    )
  })

  test("are not made of a signature that is not the sender's", async () => {
    const [terms] = fc.sample(termsArbitrary, 1)
    if (terms === undefined) throw new Error('no terms')
    const stranger = new Uint8Array(32).fill(8)
    const wrong: Signer = { address: SENDER, sign: async (digest) => signDigest(digest, stranger) }
    const short: Signer = {
      address: SENDER,
      sign: async (digest) => signDigest(digest, KEY).slice(1),
    }
    await expect(signTerms(terms, 0n, wrong)).rejects.toThrow('did not sign for the sender')
    await expect(signTerms(terms, 0n, short)).rejects.toThrow('did not sign for the sender')
  })
})

describe('terms', () => {
  test('come back from their stored JSON as they were', () => {
    fc.assert(
      fc.property(termsArbitrary, (terms) => {
        const stored = JSON.parse(JSON.stringify(writeTerms(terms))) as ReturnType<
          typeof writeTerms
        >
        const { call, ...rest } = readTerms(stored, terms.chainId)
        expect({ ...rest, call: { ...call, data: hex(call.data) } }).toEqual({
          ...terms,
          call: { ...terms.call, data: hex(terms.call.data) },
        })
      }),
    )
  })

  test('are whole again with the bytes that they were kept beside, and with no others', async () => {
    await fc.assert(
      fc.asyncProperty(termsArbitrary, integer(NONCE_MAX), async (terms, nonce) => {
        const written = writeTerms(terms)
        const kept = keptTerms(terms)
        const whole = (stored: typeof kept, bytes?: Uint8Array) =>
          writeTerms(wholeTerms(stored, bytes, terms.chainId))
        const { raw } = await signTerms(terms, nonce, signer)
        expect(kept).not.toHaveProperty('data')
        expect(whole(kept, raw)).toEqual(written)
        expect(whole(written), 'of an earlier version').toEqual(written)
        const call = { ...terms.call, data: Buffer.concat([terms.call.data, Buffer.of(1)]) }
        const other = await signTerms({ ...terms, call }, nonce, signer)
        expect(() => whole(kept, other.raw)).toThrow('of other terms')
        expect(() => whole(kept, raw.subarray(1))).toThrow('do not tell')
        expect(() => whole(kept)).toThrow('do not tell')
      }),
      { numRuns: 50 },
    )
  })

  test('of another network, or with a field that is damaged, are refused', () => {
    const [terms] = fc.sample(termsArbitrary, 1)
    if (terms === undefined) throw new Error('no terms')
    const stored = writeTerms(terms)
    expect(() => readTerms(stored, terms.chainId + 1n)).toThrow('another network')
    for (const field of Object.keys(stored)) {
      const damaged = { ...stored, [field]: '-1' } as typeof stored
      expect(() => readTerms(damaged, terms.chainId)).toThrow()
    }
  })
})
