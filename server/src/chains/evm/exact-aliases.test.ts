import fc from 'fast-check'
import { baseUnits } from '@florin/wire/amount.ts'
import { fieldsOf } from '@florin/wire/x402/fields.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { encodePaymentResponse, decodePaymentHeader } from '@florin/wire/x402/payment-header.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ExactDemand, ExactRead } from '../exact.ts'
import { addressFromBytes } from './account.ts'
import { openExactReader } from './exact-read.ts'
import { USDC } from './test-network.ts'
import { testPayer } from './test-payer.ts'

const SELLER = addressFromBytes(new Uint8Array(20).fill(0x51))
const PRICE = baseUnits(10_000n)
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const RUNS = 2_000

const reader = openExactReader(84_532n)
const demand: ExactDemand = {
  asset: USDC,
  payTo: SELLER,
  amount: PRICE,
  extra: { name: 'USDC', version: '2' },
  settlers: new Set(),
}
let payload: Fields
let authorization: Fields
let proofKey: string
beforeAll(async () => {
  payload = await testPayer().authorize({ asset: USDC, to: SELLER, amount: PRICE })
  authorization = fieldsOf(payload['authorization']) ?? {}
  proofKey = keyOf(reader.read(payload, demand)) ?? ''
})

function keyOf(read: ExactRead): string | undefined {
  return read.ok ? read.authorization.proofKey : undefined
}

/** The one payment, or none: never another. */
function expectSameOrNone(spelled: Fields): boolean {
  const key = keyOf(reader.read(spelled, demand))
  if (key !== undefined) expect(key).toBe(proofKey)
  return key !== undefined
}

/** Other ways to write a text that somebody may take for the same. */
const respelled = fc.constantFrom<readonly [string, (text: string) => unknown]>(
  ['as it is', (text) => text],
  ['lower', (text) => text.toLowerCase()],
  ['upper', (text) => text.toUpperCase()],
  ['upper digits', (text) => `0x${text.slice(2).toUpperCase()}`],
  ['swapped', (text) => text.replaceAll(/[a-f]/gi, swapCase)],
  ['a space before', (text) => ` ${text}`],
  ['a line behind', (text) => `${text}\n`],
  ['a zero before', (text) => (text.startsWith('0x') ? `0x0${text.slice(2)}` : `0${text}`)],
  ['two zeros before', (text) => (text.startsWith('0x') ? `0x00${text.slice(2)}` : `00${text}`)],
  ['a byte behind', (text) => `${text}00`],
  ['a byte less', (text) => text.slice(0, -2)],
  ['without 0x', (text) => text.replace(/^0x/, '')],
  ['a sign', (text) => `+${text}`],
  ['in a list', (text) => [text]],
  ['as a number', (text) => Number(text)],
  ['in hex', (text) => `0x${BigInt(text).toString(16)}`],
  ['a fraction', (text) => `${text}.0`],
  [
    'full width',
    (text) => text.replaceAll(/[0-9]/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  ],
)

function swapCase(letter: string): string {
  return letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
}

describe('one payment in other spellings', () => {
  test('of its fields has the same key, or is refused', () => {
    const fields = ['from', 'to', 'value', 'validAfter', 'validBefore', 'nonce'] as const
    const changes = fc.dictionary(fc.constantFrom(...fields), respelled, { maxKeys: 3 })
    let taken = 0
    fc.assert(
      fc.property(changes, respelled, (wrong, [, ofSignature]) => {
        const spelled = { ...authorization }
        for (const [field, [, spell]] of Object.entries(wrong)) {
          spelled[field] = spell(String(authorization[field]))
        }
        const signature = ofSignature(String(payload['signature']))
        if (expectSameOrNone({ signature, authorization: spelled })) taken += 1
      }),
      { numRuns: RUNS },
    )
    expect(taken).toBeGreaterThan(10)
  })

  test('of its JSON and base64 has the same key, or is refused', () => {
    const text = JSON.stringify({ x402Version: 2, payload })
    const spellings = fc.record({
      space: fc.constantFrom('', ' ', '\n', '\t\t'),
      reversed: fc.boolean(),
      more: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }),
      alphabet: fc.constantFrom('plain', 'url'),
      padding: fc.constantFrom('kept', 'gone', 'more'),
      around: fc.constantFrom('', ' ', '\n'),
    })
    let taken = 0
    fc.assert(
      fc.property(spellings, ({ space, reversed, more, alphabet, padding, around }) => {
        const parsed = fieldsOf(JSON.parse(text)) ?? {}
        const inner = Object.entries({ ...more, ...fieldsOf(parsed['payload']) })
        const shuffled = Object.fromEntries(reversed ? inner.toReversed() : inner)
        const json = JSON.stringify({ ...parsed, payload: shuffled }, null, space)
        let header = Buffer.from(json).toString(alphabet === 'url' ? 'base64url' : 'base64')
        if (padding === 'gone') header = header.replace(/=+$/, '')
        if (padding === 'more') header += '='
        const decoded = decodePaymentHeader(`${around}${header}${around}`)
        const shown = fieldsOf(decoded?.['payload'])
        if (shown !== undefined && expectSameOrNone(shown)) taken += 1
      }),
      { numRuns: 500 },
    )
    expect(taken).toBeGreaterThan(100)
  })

  test('with a field twice is what the last one says, and signed', () => {
    const twice = JSON.stringify({ payload }).replace(
      '"value":"10000"',
      '"value":"1","value":"10000"',
    )
    const turned = JSON.stringify({ payload }).replace(
      '"value":"10000"',
      '"value":"10000","value":"1"',
    )
    const read = (json: string): ExactRead => {
      const header = encodePaymentResponse(fieldsOf(JSON.parse(json)) ?? {})
      return reader.read(fieldsOf(decodePaymentHeader(header)?.['payload']) ?? {}, demand)
    }
    expect(keyOf(read(twice))).toBe(proofKey)
    expect(read(turned)).toMatchObject({ ok: false, reason: 'invalid_exact_evm_signature' })
  })

  test('is another payment as soon as a bit of what is signed differs', () => {
    const bit = fc.nat({ max: 255 })
    fc.assert(
      fc.property(bit, (at) => {
        const nonce = BigInt(String(authorization['nonce'])) ^ (1n << BigInt(at))
        const spelled = { ...authorization, nonce: `0x${nonce.toString(16).padStart(64, '0')}` }
        expect(reader.read({ ...payload, authorization: spelled }, demand)).toMatchObject({
          reason: 'invalid_exact_evm_signature',
        })
      }),
      { numRuns: 256 },
    )
  })
})

describe('one signature', () => {
  test('in other spellings gives the same key, or is refused: v, s, lengths, bits', () => {
    const v = fc.nat({ max: 255 })
    const kind = fc.constantFrom('v', 'high s', 'compact', 'longer', 'bit', 'r and order')
    fc.assert(
      fc.property(kind, v, fc.nat({ max: 519 }), (what, otherV, bit) => {
        const bytes = Buffer.from(String(payload['signature']).slice(2), 'hex')
        const s = BigInt(`0x${bytes.subarray(32, 64).toString('hex')}`)
        const word = (value: bigint): Buffer =>
          Buffer.from(value.toString(16).padStart(64, '0').slice(-64), 'hex')
        let spelled: Buffer = bytes
        switch (what) {
          case 'v':
            spelled = Buffer.concat([bytes.subarray(0, 64), Buffer.of(otherV)])
            break
          case 'high s':
            spelled = Buffer.concat([bytes.subarray(0, 32), word(ORDER - s), Buffer.of(otherV)])
            break
          case 'compact': {
            const parity = BigInt(otherV & 1) << 255n
            spelled = Buffer.concat([bytes.subarray(0, 32), word(s | parity)])
            break
          }
          case 'longer':
            spelled = Buffer.concat([bytes, Buffer.alloc(1 + (otherV % 32), otherV)])
            break
          case 'bit':
            spelled = Buffer.from(bytes)
            spelled[bit >> 3] = (spelled[bit >> 3] ?? 0) ^ (1 << (bit & 7))
            break
          case 'r and order': {
            const r = BigInt(`0x${bytes.subarray(0, 32).toString('hex')}`)
            spelled = Buffer.concat([word(r + ORDER), bytes.subarray(32)])
            break
          }
          default:
            what satisfies never
        }
        const signature = `0x${spelled.toString('hex')}`
        const isTaken = expectSameOrNone({ ...payload, signature })
        const meant = [bytes[64] ?? 0, (bytes[64] ?? 0) - 27]
        const same = spelled.length === 65 && spelled.subarray(0, 64).equals(bytes.subarray(0, 64))
        expect(isTaken).toBe(same && meant.includes(spelled[64] ?? 0))
      }),
      { numRuns: RUNS },
    )
  })
})
