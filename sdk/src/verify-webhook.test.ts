import fc from 'fast-check'
import { expect, test } from 'vitest'
import { signatureOf } from '@florin/server/webhooks/signature.ts'
import { SecretBytes } from '@florin/server/kernel/secret.ts'
import vectors from '../../wire/vectors/webhook-signature.json' with { type: 'json' }
import { FlorinError } from './florin-error.ts'
import { verifyWebhook } from './verify-webhook.ts'

const [plain, wide, rotated] = vectors.vectors
if (plain === undefined || wide === undefined || rotated === undefined) throw new Error('vectors')
const { body, signature, unixSeconds } = plain
const [secret = ''] = plain.secrets
const now = unixSeconds * 1000

async function refusal(parts: Partial<Parameters<typeof verifyWebhook>[0]>): Promise<unknown> {
  try {
    return await verifyWebhook({ body, signature, secret, now, ...parts })
  } catch (error) {
    return error instanceof FlorinError ? error.code : error
  }
}

test('the service signs as the vectors say, and the client takes them with any of the live secrets', async () => {
  for (const vector of vectors.vectors) {
    const bytes = new TextEncoder().encode(vector.body)
    const secrets = vector.secrets.map((one) => new SecretBytes(new TextEncoder().encode(one)))
    expect(signatureOf(secrets, vector.unixSeconds, bytes)).toBe(vector.signature)
    for (const one of vector.secrets) {
      const { signature } = vector
      const event = await verifyWebhook({ body: bytes, signature, secret: one, now })
      expect(event).toEqual(JSON.parse(vector.body))
      expect(
        await verifyWebhook({ body: vector.body, signature, secret: ['x', one], now }),
      ).toEqual(event)
    }
  }
})

test('a body that was changed anywhere is refused, and so is another secret', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(body.length - 1), fc.integer({ min: 1, max: 126 }), async (at, by) => {
      const bytes = new TextEncoder().encode(body)
      bytes[at] = ((bytes[at] ?? 0) + by) % 128
      expect(await refusal({ body: bytes })).toBe('INVALID_SIGNATURE')
    }),
    { numRuns: 200 },
  )
  expect(await refusal({ secret: `${secret}x` })).toBe('INVALID_SIGNATURE')
  expect(await refusal({ secret: '' })).toBe('INVALID_SIGNATURE')
  expect(await refusal({ secret: [] })).toBe('INVALID_SIGNATURE')
})

test('a signature counts for 300 seconds on both sides and not longer', async () => {
  expect(await refusal({ now: now + 300_000 })).toMatchObject({ sequence: 41 })
  expect(await refusal({ now: now - 300_000 })).toMatchObject({ sequence: 41 })
  expect(await refusal({ now: now + 301_000 })).toBe('INVALID_SIGNATURE')
  expect(await refusal({ now: now - 301_000 })).toBe('INVALID_SIGNATURE')
  expect(await refusal({ now: Number.NaN })).toBe('INVALID_SIGNATURE')
  const moved = signature.replace(String(unixSeconds), String(unixSeconds + 1))
  expect(await refusal({ signature: moved })).toBe('INVALID_SIGNATURE')
})

test.each([
  null,
  undefined,
  '',
  't=1790000010',
  `v1=${'0'.repeat(64)}`,
  `t=1790000010,v0=${'0'.repeat(64)}`,
  `t=1790000010,v1=${'0'.repeat(63)}`,
  `t=1790000010,v1=${'g'.repeat(64)}`,
  `t=,v1=${'0'.repeat(64)}`,
  `t=1e9,v1=${'0'.repeat(64)}`,
  ` ${signature}`,
  `${signature},`,
  `${signature}${',v2=00'.repeat(20)}`,
  `t=1790000010,${signature}`,
])('a header of another form is refused: %s', async (header) => {
  expect(await refusal({ signature: header })).toBe('INVALID_SIGNATURE')
})

test('a header may carry signatures of a form that is still to come', async () => {
  expect(await refusal({ signature: `${signature},v2=AbC_-9` })).toMatchObject({ sequence: 41 })
})
