import { createHash, createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import vectors from '../vectors/transfer-proof.json' with { type: 'json' }
import { baseUnits } from './amount.ts'
import { parseNetworkId } from './network.ts'
import { parseTransferProof } from './parse-transfer-proof.ts'
import { hmacSha256, sha256 } from './sha256.ts'
import {
  canonicalResource,
  commitmentOf,
  encodePaymentProof,
  transferSecret,
} from './transfer-proof.ts'
import type { CommittedTransfer, TransferProof } from './transfer-proof.ts'

type Vector = (typeof vectors)[number]

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))
const hex = (value: Uint8Array): string => Buffer.from(value).toString('hex')

function network(text: string): NonNullable<ReturnType<typeof parseNetworkId>> {
  const parsed = parseNetworkId(text)
  if (parsed === undefined) throw new Error(`${text} is no network`)
  return parsed
}

function transferOf(vector: Vector): CommittedTransfer {
  return {
    secret: bytes(vector.secret),
    network: network(vector.network),
    asset: bytes(vector.assetBytes),
    sender: bytes(vector.senderBytes),
    recipient: bytes(vector.recipientBytes),
    amountBaseUnits: baseUnits(vector.amountBaseUnits),
    ...(vector.resource === undefined ? {} : { resource: vector.resource }),
  }
}

function proofOf(vector: Vector): TransferProof {
  const { asset, sender, recipient, resource, transaction } = vector
  return {
    network: network(vector.network),
    secret: bytes(vector.secret),
    ...(transaction === undefined ? {} : { transaction }),
    terms: {
      asset,
      sender,
      recipient,
      amountBaseUnits: baseUnits(vector.amountBaseUnits),
      ...(resource === undefined ? {} : { resource }),
    },
  }
}

function edited(vector: Vector, edit: (header: Record<string, unknown>) => unknown): string {
  const header = JSON.parse(Buffer.from(vector.paymentProof, 'base64').toString('utf8'))
  return Buffer.from(JSON.stringify(edit(header))).toString('base64')
}

const [first] = vectors
if (first === undefined) throw new Error('there are no vectors')

describe.each(vectors)('vector: $name', (vector) => {
  test('gives the published secret', () => {
    expect(hex(transferSecret(bytes(vector.installationKey), vector.paymentId))).toBe(vector.secret)
  })

  test('gives the published commitment', () => {
    expect(hex(commitmentOf(transferOf(vector)))).toBe(vector.commitment)
  })

  test('gives the published proof, and is read back from it', () => {
    expect(encodePaymentProof(proofOf(vector))).toBe(vector.paymentProof)
    expect(parseTransferProof(vector.paymentProof)).toEqual(proofOf(vector))
  })

  test('is read back from the x402 v2 shape', () => {
    const v2 = edited(vector, ({ scheme, network: id, payload }) => ({
      x402Version: 2,
      resource: { url: 'https://elsewhere.example' },
      accepted: { scheme, network: id, amount: '1', payTo: 'x', extra: {} },
      payload,
    }))
    expect(parseTransferProof(v2)).toEqual(proofOf(vector))
  })
})

describe('a commitment', () => {
  const base = transferOf(first)
  const other = Uint8Array.from(base.sender, (byte) => byte ^ 1)

  test.each<[string, Partial<CommittedTransfer>]>([
    ['secret', { secret: base.secret.map((byte) => byte ^ 1) }],
    ['network', { network: network('eip155:1') }],
    ['asset', { asset: other }],
    ['sender', { sender: other }],
    ['recipient', { recipient: other }],
    ['amount', { amountBaseUnits: baseUnits(base.amountBaseUnits + 1n) }],
    ['resource', { resource: 'https://shop.example/' }],
  ])('changes with the %s', (_, change) => {
    expect(hex(commitmentOf({ ...base, ...change }))).not.toBe(first.commitment)
  })

  test('does not confuse bytes that move from one item to the next', () => {
    const moved = { ...base, sender: base.sender.slice(0, 19), recipient: other }
    const back = { ...base, recipient: Uint8Array.of(...base.sender.slice(19), ...other) }
    expect(hex(commitmentOf(moved))).not.toBe(hex(commitmentOf(back)))
  })

  test('is the same for every spelling of one resource', () => {
    const spelled = (resource: string): string => hex(commitmentOf({ ...base, resource }))
    expect(spelled('HTTPS://shop.example:443/a/../b#x')).toBe(spelled('https://shop.example/b'))
  })

  test('is refused for a resource that is no absolute URL', () => {
    expect(canonicalResource('/relative')).toBeUndefined()
    expect(() => commitmentOf({ ...base, resource: '/relative' })).toThrow(RangeError)
  })
})

describe('what is no transfer proof is read as nothing', () => {
  const broken: [string, string][] = [
    ['nothing', ''],
    ['no base64', '{"x402Version":1}'],
    ['no JSON', Buffer.from('florin').toString('base64')],
    ['no UTF-8', Buffer.from([0xff, 0xfe]).toString('base64')],
    ['an array', Buffer.from('[]').toString('base64')],
    ['too long', 'QUFB'.repeat(5_000)],
    ['another scheme', edited(first, (header) => ({ ...header, scheme: 'exact' }))],
    ['another version', edited(first, (header) => ({ ...header, x402Version: 3 }))],
    ['a version as text', edited(first, (header) => ({ ...header, x402Version: '1' }))],
    ['an unknown network', edited(first, (header) => ({ ...header, network: 'moon' }))],
    ['no payload', edited(first, (header) => ({ ...header, payload: null }))],
  ]
  const payloads: [string, object][] = [
    ['a short secret', { secret: 'ab' }],
    ['an upper-case secret', { secret: first.secret.toUpperCase() }],
    ['a transaction that is no text', { transaction: 7 }],
    ['no terms', { terms: [] }],
    [
      'terms without sender',
      { terms: { ...proofOf(first).terms, amountBaseUnits: '1', sender: '' } },
    ],
    ['a number as amount', { terms: { ...proofOf(first).terms, amountBaseUnits: 1 } }],
    ['a zero amount', { terms: { ...proofOf(first).terms, amountBaseUnits: '0' } }],
    ['a huge amount', { terms: { ...proofOf(first).terms, amountBaseUnits: '9'.repeat(78) } }],
    [
      'a resource that is no text',
      { terms: { ...proofOf(first).terms, amountBaseUnits: '1', resource: {} } },
    ],
  ]
  const brokenPayloads = payloads.map(([name, change]): [string, string] => [
    name,
    edited(first, (header) => ({
      ...header,
      payload: { ...Object(header['payload']), ...change },
    })),
  ])

  test.each([...broken, ...brokenPayloads])('%s', (_, proof) => {
    expect(parseTransferProof(proof)).toBeUndefined()
  })

  test('no text at all makes the parser throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String(), fc.json()), (text) => {
        expect(parseTransferProof(text)).toBeUndefined()
        expect(parseTransferProof(Buffer.from(text).toString('base64'))).toBeUndefined()
      }),
    )
  })
})

test('an x402 v1 network name is read as the network it means', () => {
  const proof = edited(first, (header) => ({ ...header, network: 'base-sepolia' }))
  expect(parseTransferProof(proof)?.network).toBe('eip155:84532')
})

test('SHA-256 and HMAC-SHA-256 agree with OpenSSL', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.uint8Array({ maxLength: 200 }),
      (key, message) => {
        expect(hex(sha256(key, message))).toBe(
          createHash('sha256').update(key).update(message).digest('hex'),
        )
        expect(hex(hmacSha256(key, message))).toBe(
          createHmac('sha256', key).update(message).digest('hex'),
        )
      },
    ),
  )
})
