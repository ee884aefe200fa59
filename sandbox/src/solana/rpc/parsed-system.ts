import { base58Of } from '../chain/block.ts'
import type { Said } from './parsed-instruction.ts'

const ADDRESS_BYTES = 32

/** System instructions: a number in 4 bytes, then its fields. */
export function parsedSystem(accounts: readonly string[], data: Buffer): Said | undefined {
  const [first = '', second = '', third = ''] = accounts
  const addressAt = (offset: number): string => base58Of(exactly(data, offset, ADDRESS_BYTES))
  switch (data.readUInt32LE(0)) {
    case 0:
      return {
        type: 'createAccount',
        info: {
          source: first,
          newAccount: second,
          lamports: data.readBigUInt64LE(4),
          space: data.readBigUInt64LE(12),
          owner: addressAt(20),
        },
      }
    case 1:
      return { type: 'assign', info: { account: first, owner: addressAt(4) } }
    case 2:
      return {
        type: 'transfer',
        info: { source: first, destination: second, lamports: data.readBigUInt64LE(4) },
      }
    case 3: {
      const { text: seed, end } = seedAt(data, 4 + ADDRESS_BYTES)
      return {
        type: 'createAccountWithSeed',
        info: {
          source: first,
          newAccount: second,
          base: addressAt(4),
          seed,
          lamports: data.readBigUInt64LE(end),
          space: data.readBigUInt64LE(end + 8),
          owner: addressAt(end + 16),
        },
      }
    }
    case 4:
      return {
        type: 'advanceNonce',
        info: { nonceAccount: first, recentBlockhashesSysvar: second, nonceAuthority: third },
      }
    case 8:
      return { type: 'allocate', info: { account: first, space: data.readBigUInt64LE(4) } }
    case 11: {
      const { text: sourceSeed, end } = seedAt(data, 12)
      return {
        type: 'transferWithSeed',
        info: {
          source: first,
          sourceBase: second,
          destination: third,
          lamports: data.readBigUInt64LE(4),
          sourceSeed,
          sourceOwner: addressAt(end),
        },
      }
    }
    default:
      return undefined
  }
}

function seedAt(data: Buffer, offset: number): { text: string; end: number } {
  const length = Number(data.readBigUInt64LE(offset))
  const start = offset + 8
  return { text: exactly(data, start, length).toString('utf8'), end: start + length }
}

function exactly(data: Buffer, offset: number, length: number): Buffer {
  const part = data.subarray(offset, offset + length)
  if (part.length !== length) throw new RangeError('the data ends too early')
  return part
}
