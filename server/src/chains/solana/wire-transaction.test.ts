import { createHash } from 'node:crypto'
import {
  getAddressDecoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
} from '@solana/kit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressFromBytes } from './account.ts'
import { messageOf, newKey, sealed } from './test-payment.ts'
import type { Step } from './test-payment.ts'
import { readWireTransaction } from './wire-transaction.ts'
import type { WireTransaction } from './wire-transaction.ts'

const keyOf = (serial: number) =>
  newKey(new Uint8Array(createHash('sha256').update(`wire ${serial}`).digest()))
const KEYS = Array.from({ length: 8 }, (_, serial) => keyOf(serial))
const addresses = KEYS.map(({ address }) => address)

/** Transactions of every kind: signers, versions, empty and long instructions. */
const meta = fc.record({
  address: fc.constantFrom(...addresses),
  signs: fc.boolean(),
  writes: fc.boolean(),
})
const step: fc.Arbitrary<Step> = fc.record({
  program: fc.constantFrom(...addresses),
  accounts: fc.array(meta, { maxLength: 6 }),
  data: fc.uint8Array({ maxLength: 160 }),
})
const wholes = fc
  .record({
    feePayer: fc.constantFrom(...addresses),
    steps: fc.array(step, { maxLength: 4 }),
    blockhash: fc.uint8Array({ minLength: 32, maxLength: 32 }).map(addressFromBytes),
    legacy: fc.boolean(),
    tables: fc.array(
      fc.record({
        table: fc.constantFrom(...addresses),
        entries: fc.array(fc.nat({ max: 255 }), { minLength: 1, maxLength: 3 }),
      }),
      { maxLength: 1 },
    ),
  })
  .map(({ feePayer, steps, ...options }) => sealed(messageOf(feePayer, steps, options), KEYS))
  .filter((bytes) => bytes.length <= 1_232)

/** What kit reads of the same bytes, in the same shape; undefined when it refuses them, or cannot name what they name. */
function asKitReads(bytes: Uint8Array): object | undefined {
  try {
    const { messageBytes, signatures } = getTransactionDecoder().decode(bytes)
    const message = getCompiledTransactionMessageDecoder().decode(messageBytes)
    if (message.version === 1) return undefined
    const { header, staticAccounts, instructions, lifetimeToken } = message
    const named = (index: number): string => {
      const account = staticAccounts[index]
      if (account === undefined) throw new RangeError('an account that is not there')
      return account
    }
    const lookups = message.version === 0 ? (message.addressTableLookups ?? []) : []
    return {
      signatures: Object.values(signatures).map((one) => hex(one ?? new Uint8Array(64))),
      signers: staticAccounts.slice(0, header.numSignerAccounts),
      blockhash: lifetimeToken,
      usesLookupTables: lookups.length > 0,
      instructions:
        lookups.length > 0
          ? []
          : instructions.map(({ programAddressIndex, accountIndices = [], data }) => ({
              program: named(programAddressIndex),
              accounts: accountIndices.map(named),
              data: hex(data ?? new Uint8Array()),
            })),
    }
  } catch {
    return undefined
  }
}

function asWeRead(bytes: Uint8Array): object | undefined {
  const read = readWireTransaction(bytes)
  return read === undefined ? undefined : shapeOf(read)
}

function shapeOf({
  signatures,
  signers,
  blockhash,
  usesLookupTables,
  instructions,
}: WireTransaction) {
  return {
    signatures: signatures.map(hex),
    signers,
    blockhash,
    usesLookupTables,
    instructions: instructions.map((one) => ({ ...one, data: hex(one.data) })),
  }
}

function hex(bytes: ArrayLike<number>): string {
  return Buffer.from(Uint8Array.from(bytes)).toString('hex')
}

describe('a transaction in bytes', () => {
  test('is read as another library reads it', () => {
    fc.assert(
      fc.property(wholes, (bytes) => {
        const ours = asWeRead(bytes)
        expect(ours).toBeDefined()
        expect(ours).toEqual(asKitReads(bytes))
      }),
      { numRuns: 200 },
    )
  })

  test('cut off anywhere is none', () => {
    fc.assert(
      fc.property(wholes, fc.double({ min: 0, max: 0.999, noNaN: true }), (bytes, part) => {
        expect(asWeRead(bytes.subarray(0, Math.floor(part * bytes.length)))).toBeUndefined()
      }),
      { numRuns: 400 },
    )
  })

  test('with anything behind it is none', () => {
    const more = fc.uint8Array({ minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(wholes, more, (bytes, behind) => {
        expect(asWeRead(Buffer.concat([bytes, behind]))).toBeUndefined()
      }),
      { numRuns: 200 },
    )
  })

  test('with any bit turned is refused, or read as another library reads it', () => {
    fc.assert(
      fc.property(wholes, fc.nat(), fc.nat({ max: 7 }), (bytes, at, bit) => {
        const turned = Uint8Array.from(bytes)
        const index = at % turned.length
        turned[index] = (turned[index] ?? 0) ^ (1 << bit)
        const ours = asWeRead(turned)
        if (ours !== undefined) expect(ours).toEqual(asKitReads(turned))
      }),
      { numRuns: 1_200 },
    )
  })

  test('of any bytes at all never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1_300 }), (bytes) => {
        const ours = asWeRead(bytes)
        if (ours !== undefined) expect(ours).toEqual(asKitReads(bytes))
      }),
      { numRuns: 2_000 },
    )
  })

  test('is at most a packet long', () => {
    const [one] = KEYS
    if (one === undefined) throw new Error('no key')
    const blockhash = one.address
    const withData = (length: number): Uint8Array => {
      const steps = [{ program: keyOf(9).address, accounts: [], data: new Uint8Array(length) }]
      return sealed(messageOf(one.address, steps, { blockhash }), [one])
    }
    const around = withData(200).length - 200
    expect(withData(1_232 - around)).toHaveLength(1_232)
    expect(asWeRead(withData(1_232 - around))).toBeDefined()
    expect(asWeRead(withData(1_233 - around))).toBeUndefined()
  })
})

describe('a length', () => {
  const [one] = KEYS
  if (one === undefined) throw new Error('no key')
  const steps = [{ program: keyOf(9).address, accounts: [], data: Uint8Array.of(7) }]
  const message = messageOf(one.address, steps, { blockhash: one.address })
  /** The number of signatures, spelled anew. */
  const counted = (...spelling: readonly number[]): Uint8Array =>
    Buffer.concat([Uint8Array.from(spelling), sealed(message, [one]).subarray(1)])

  test('has one spelling', () => {
    expect(asWeRead(counted(0x01))).toBeDefined()
    for (const longer of [
      [0x81, 0x00],
      [0x81, 0x80, 0x00],
      [0x81, 0x80, 0x80, 0x00],
      [0x81, 0x80, 0x04],
    ]) {
      expect(asWeRead(counted(...longer))).toBeUndefined()
    }
  })

  test('of the data, too', () => {
    const bytes = sealed(message, [one])
    // Behind it: the length of the data, its only byte, and no tables.
    const at = bytes.length - 3
    expect(hex(bytes.subarray(at))).toBe('010700')
    const longer = Buffer.concat([bytes.subarray(0, at), Buffer.from('81000700', 'hex')])
    expect(asWeRead(longer)).toBeUndefined()
  })

  test('beyond a packet asks for no memory', () => {
    expect(asWeRead(counted(0xff, 0xff, 0x03))).toBeUndefined()
  })
})

describe('a message that a node would not take', () => {
  const [one, two] = KEYS
  if (one === undefined || two === undefined) throw new Error('no keys')
  const twice = (): Uint8Array => {
    const steps = [{ program: two.address, accounts: [], data: new Uint8Array() }]
    const message = Buffer.from(messageOf(one.address, steps, { blockhash: one.address }))
    // Version, header, count: the second account becomes the first one's twin.
    message.copyWithin(5 + 32, 5, 5 + 32)
    return message
  }

  test('names an account twice', () => {
    expect(asWeRead(sealed(twice(), [one]))).toBeUndefined()
  })

  test('has a header that does not fit, or another version', () => {
    const steps = [{ program: two.address, accounts: [], data: new Uint8Array() }]
    const message = messageOf(one.address, steps, { blockhash: one.address })
    const changed = (at: number, value: number): Uint8Array => {
      const bytes = Uint8Array.from(sealed(message, [one]))
      bytes[65 + at] = value
      return bytes
    }
    expect(asWeRead(changed(0, 0x80))).toBeDefined()
    for (const version of [0x81, 0x82, 0xff]) expect(asWeRead(changed(0, version))).toBeUndefined()
    for (const signers of [0, 2, 3, 255]) expect(asWeRead(changed(1, signers))).toBeUndefined()
    expect(asWeRead(changed(2, 1))).toBeUndefined()
    expect(asWeRead(changed(3, 2))).toBeUndefined()
  })

  test('is spelled with the addresses that another library has for the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        expect(addressFromBytes(bytes)).toBe(getAddressDecoder().decode(bytes))
      }),
      { numRuns: 500 },
    )
  })
})
