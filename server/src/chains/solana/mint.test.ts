import { getMintEncoder } from '@solana-program/token'
import { none } from '@solana/kit'
import { describe, expect, test } from 'vitest'
import { knownAddress } from './account.ts'
import { mintFrom } from './mint.ts'
import type { Mint } from './mint.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts'

const MINT = knownAddress('4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU')
const base = (isInitialized = true): Uint8Array =>
  Uint8Array.from(
    getMintEncoder().encode({
      mintAuthority: none(),
      supply: 5n,
      decimals: 6,
      isInitialized,
      freezeAuthority: none(),
    }),
  )

/** A Token-2022 mint with the given extensions: type and value. */
function extended(...extensions: readonly (readonly [number, Uint8Array])[]): Uint8Array {
  const padded = Buffer.alloc(166)
  padded.set(base())
  padded[165] = 1
  const list = extensions.map(([type, value]) => {
    const header = Buffer.alloc(4)
    header.writeUInt16LE(type)
    header.writeUInt16LE(value.length, 2)
    return Buffer.concat([header, value])
  })
  return Buffer.concat([padded, ...list])
}

/** The fee extension with an old and a new fee: basis points and maximum. */
function feeExtension(...fees: readonly [number, bigint][]): [number, Uint8Array] {
  const value = Buffer.alloc(108)
  fees.forEach(([points, maximum], index) => {
    const start = 72 + index * 18
    value.writeBigUInt64LE(maximum, start + 8)
    value.writeUInt16LE(points, start + 16)
  })
  return [1, value]
}

const METADATA: [number, Uint8Array] = [19, new Uint8Array(200)]
const mint = (data: Uint8Array): Mint => mintFrom(MINT, TOKEN_2022_PROGRAM, data)

describe('a mint', () => {
  test('of SPL Token has accounts of 165 bytes, no fee, and refuses nothing', () => {
    const read = mintFrom(MINT, TOKEN_PROGRAM, base())
    expect(read).toMatchObject({ decimals: 6, accountBytes: 165, mayRefuse: false })
    expect(read.feeOf(10n ** 18n)).toBe(0n)
  })

  test('of Token-2022 has larger accounts, by what each extension adds', () => {
    expect(mint(base()).accountBytes).toBe(170)
    expect(mint(extended(METADATA)).accountBytes).toBe(170)
    const hook: [number, Uint8Array] = [14, new Uint8Array(64)]
    expect(mint(extended(hook)).accountBytes).toBe(175)
    // PYUSD's accounts on mainnet have 187 bytes.
    expect(mint(extended(feeExtension(), hook, METADATA)).accountBytes).toBe(187)
  })

  test('keeps the larger of the old and the new fee, rounded up and capped', () => {
    const read = mint(extended(METADATA, feeExtension([100, 10n ** 9n], [50, 10n ** 9n])))
    expect([1n, 100n, 101n, 10_000n].map(read.feeOf)).toEqual([1n, 1n, 2n, 100n])
    expect(mint(extended(feeExtension([0, 0n], [10_000, 5n]))).feeOf(100n)).toBe(5n)
    expect(mint(extended(feeExtension([0, 10n], [0, 10n]))).feeOf(100n)).toBe(0n)
  })

  test.each([6, 9, 14, 26])('with extension %i may refuse a transfer', (type) => {
    expect(mint(extended([type, new Uint8Array(1)])).mayRefuse).toBe(true)
  })

  test.each([3, 10, 12, 18, 19])('with extension %i refuses none', (type) => {
    expect(mint(extended([type, new Uint8Array(32)])).mayRefuse).toBe(false)
  })

  test.each<[string, Uint8Array]>([
    ['nothing', new Uint8Array()],
    ['a short one', base().subarray(0, 81)],
    ['one that was never begun', base(false)],
    ['a fee that ends early', extended([1, new Uint8Array(40)])],
  ])('is not read from %s', (_, data) => {
    expect(() => mint(data).feeOf(1n)).toThrow(/mint/)
  })
})
