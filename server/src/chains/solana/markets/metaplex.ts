import { createHash } from 'node:crypto'
import type { Address } from '../../chain.ts'
import { addressBytes, addressFromBytes, knownAddress } from '../account.ts'
import type { Account } from '../accounts.ts'
import { isOnCurve } from '../ed25519-point.ts'
import { textFields } from './text-fields.ts'

const PROGRAM = knownAddress('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s')
const SEED = Buffer.from('metadata', 'ascii')
const MARKER = Buffer.from('ProgramDerivedAddress', 'ascii')
const BUMP_MAX = 255
/** `MetadataV1`. */
const KEY = 4
const MINT_AT = 33
const TEXTS_AT = 65
const WORD_BYTES = 32
const LENGTH_BYTES = 4
/** How much of it says what is wanted: key, authority, mint, three texts, royalty, and the first creator. */
export const METAPLEX_BYTES = 65 + 3 * LENGTH_BYTES + 32 + 10 + 200 + 2 + 1 + LENGTH_BYTES + 34

/** Where a mint's name stands when Metaplex keeps it: the first candidate off the curve. */
export function metaplexAddress(mint: Address): Address {
  const parts = [SEED, addressBytes(PROGRAM), addressBytes(mint)]
  for (let bump = BUMP_MAX; bump >= 0; bump -= 1) {
    const hash = createHash('sha256')
    for (const part of [...parts, Uint8Array.of(bump), addressBytes(PROGRAM), MARKER]) {
      hash.update(part)
    }
    const candidate = new Uint8Array(hash.digest())
    if (!isOnCurve(candidate)) return addressFromBytes(candidate)
  }
  throw new Error('no candidate is off the curve, which happens once in 2^256 times')
}

/** What such an account says of its mint; undefined when it is not one. Source: Metaplex token metadata, `Metadata`. */
export function metaplexName(mint: Address, account: Account | undefined) {
  if (account?.owner !== PROGRAM) return undefined
  const data = Buffer.from(account.data)
  if (data.length < TEXTS_AT || data[0] !== KEY) return undefined
  const named = addressFromBytes(new Uint8Array(data.subarray(MINT_AT, MINT_AT + WORD_BYTES)))
  const texts = textFields(data.subarray(TEXTS_AT), 3)
  if (named !== mint || texts === undefined) return undefined
  return { name: texts[0] ?? null, symbol: texts[1] ?? null, creator: firstCreator(data) }
}

/** The first creator, when it has signed for it. */
function firstCreator(data: Buffer): Address | null {
  let at = TEXTS_AT
  for (let text = 0; text < 3; text += 1) at += LENGTH_BYTES + data.readUInt32LE(at)
  const listAt = at + 2 + 1
  const creatorAt = listAt + LENGTH_BYTES
  if (creatorAt + WORD_BYTES + 1 > data.length || data[at + 2] !== 1) return null
  if (data.readUInt32LE(listAt) === 0 || data[creatorAt + WORD_BYTES] !== 1) return null
  return addressFromBytes(new Uint8Array(data.subarray(creatorAt, creatorAt + WORD_BYTES)))
}
