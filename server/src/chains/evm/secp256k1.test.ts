import fc from 'fast-check'
import { keccak256 as viemKeccak, recoverAddress as viemRecover } from 'viem'
import { privateKeyToAddress, sign as viemSign } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { loadNativeCurve } from './curve-native.ts'
import { loadWasmCurve } from './curve-wasm.ts'
import { keccak256 } from './keccak.ts'
import { addressOfPrivateKey, engine, recoverAddress, signDigest } from './secp256k1.ts'

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const RUNS = 25

const word = (value: bigint): Uint8Array =>
  new Uint8Array(Buffer.from(value.toString(16).padStart(64, '0'), 'hex'))
const hex = (bytes: Uint8Array): `0x${string}` => `0x${Buffer.from(bytes).toString('hex')}`
const numberOf = (bytes: Uint8Array): bigint => BigInt(hex(bytes))

const keys = fc.bigInt({ min: 1n, max: ORDER - 1n }).map(word)
const digests = fc.uint8Array({ minLength: 32, maxLength: 32 })

const native = loadNativeCurve()
const wasm = await loadWasmCurve()

test('linux-x64 signs with the native engine', () => {
  if (process.platform === 'linux' && process.arch === 'x64') expect(engine).toBe('native')
})

describe.each([
  ['native', native],
  ['wasm', wasm],
])('the %s engine', (_, curve) => {
  test.runIf(curve !== undefined)('signs and recovers exactly as viem does', async () => {
    await fc.assert(
      fc.asyncProperty(keys, digests, async (key, digest) => {
        const signature = signDigest(digest, key, curve)
        const oracle = await viemSign({ hash: hex(digest), privateKey: hex(key), to: 'object' })
        expect(hex(signature)).toBe(
          `${oracle.r}${oracle.s.slice(2)}${oracle.yParity === 1 ? '01' : '00'}`,
        )
        const address = privateKeyToAddress(hex(key))
        expect(addressOfPrivateKey(key, curve)).toBe(address)
        expect(recoverAddress(digest, signature, curve)).toBe(address)
      }),
      { numRuns: RUNS },
    )
  })

  test.runIf(curve !== undefined)('refuses the malleated twin that the curve accepts', async () => {
    await fc.assert(
      fc.asyncProperty(keys, digests, async (key, digest) => {
        const twin = malleated(signDigest(digest, key, curve))
        expect(await viemRecover({ hash: hex(digest), signature: hex(twin) })).toBe(
          privateKeyToAddress(hex(key)),
        )
        expect(recoverAddress(digest, twin, curve)).toBeUndefined()
      }),
      { numRuns: RUNS },
    )
  })

  test.runIf(curve !== undefined)('refuses keys outside the group and says nothing of them', () => {
    for (const key of [word(0n), word(ORDER), word(ORDER + 1n), word(1n).slice(1)]) {
      expect(() => signDigest(word(1n), key, curve)).toThrow(expect.not.stringContaining('0x'))
      expect(() => addressOfPrivateKey(key, curve)).toThrow()
    }
    expect(() => signDigest(word(1n).slice(1), word(1n), curve)).toThrow(RangeError)
  })

  test.runIf(curve !== undefined)('never throws on a signature of anybody', () => {
    fc.assert(
      fc.property(digests, fc.uint8Array({ maxLength: 70 }), (digest, signature) => {
        recoverAddress(digest, signature, curve)
      }),
    )
    expect(recoverAddress(word(1n), new Uint8Array(65), curve)).toBeUndefined()
  })
})

test('v may be 0, 1, 27 or 28, and nothing else', () => {
  const key = word(7n)
  const digest = word(9n)
  const signature = signDigest(digest, key)
  const parity = signature[64] ?? 0
  for (let v = 0; v < 256; v += 1) {
    const spelled = signature.slice()
    spelled[64] = v
    const isRight = v === parity || v === parity + 27
    expect(recoverAddress(digest, spelled) === addressOfPrivateKey(key)).toBe(isRight)
    if (![0, 1, 27, 28].includes(v)) expect(recoverAddress(digest, spelled)).toBeUndefined()
  }
})

test('keccak-256 agrees with viem at every length around its block size', () => {
  for (let length = 0; length < 300; length += 1) {
    const bytes = Uint8Array.from({ length }, (_, index) => index % 251)
    expect(hex(keccak256(bytes))).toBe(viemKeccak(bytes))
  }
})

/** The other signature of the same key and digest: s negated, parity flipped. */
function malleated(signature: Uint8Array): Uint8Array {
  const s = word(ORDER - numberOf(signature.subarray(32, 64)))
  return Uint8Array.of(...signature.subarray(0, 32), ...s, signature[64] === 1 ? 0 : 1)
}
