import { expect, test } from 'vitest'
import { parseBatchPayload } from './batch-payload.ts'
import type { Fields } from './fields.ts'

const ADDRESS = /^0x[0-9a-f]{40}$/
const spelling = (text: string) => (ADDRESS.test(text) ? text.toUpperCase() : undefined)
const address = (digit: string) => `0x${digit.repeat(40)}`
const word = (digit: string) => `0x${digit.repeat(64)}`
const SIGNATURE = `0x${'5A'.repeat(65)}`

const channelConfig = {
  ...{ payer: address('1'), payerAuthorizer: address('2'), receiver: address('3') },
  ...{ receiverAuthorizer: address('4'), token: address('5'), withdrawDelay: 900, salt: word('6') },
}
const voucher = { channelId: word('A'), maxClaimableAmount: '1000', signature: SIGNATURE }
const erc3009Authorization = {
  ...{ validAfter: '0', validBefore: '1790000000', salt: word('7'), signature: SIGNATURE },
}
const permit2Authorization = {
  ...{ from: address('1'), permitted: { token: address('5'), amount: '5000' } },
  ...{ spender: address('8'), nonce: '7', deadline: '1790000000' },
  ...{ witness: { channelId: word('A') }, signature: SIGNATURE },
}
const row = {
  voucher: { channel: channelConfig, maxClaimableAmount: '1000' },
  ...{ signature: SIGNATURE, totalClaimed: '900' },
}
const PAYLOADS = {
  deposit: {
    ...{ type: 'deposit', channelConfig, voucher },
    deposit: { amount: '5000', authorization: { erc3009Authorization } },
  },
  'deposit by Permit2': {
    ...{ type: 'deposit', channelConfig, voucher },
    deposit: { amount: '5000', authorization: { permit2Authorization } },
  },
  voucher: { type: 'voucher', channelConfig, voucher },
  'refund request': { type: 'refund', channelConfig, voucher },
  refund: {
    ...{ type: 'refund', channelConfig, voucher, amount: '7', refundNonce: '0', claims: [row] },
    ...{ refundAuthorizerSignature: SIGNATURE, claimAuthorizerSignature: SIGNATURE },
  },
  claim: { type: 'claim', claims: [row, row], claimAuthorizerSignature: SIGNATURE },
  settle: { type: 'settle', receiver: address('3'), token: address('5') },
} as const satisfies Record<string, Fields>

test.each(Object.entries(PAYLOADS))('a %s is read', (_, payload) => {
  expect(parseBatchPayload(payload, spelling)).toMatchObject({ type: payload.type })
})

test('parts are read in one spelling', () => {
  const signature = SIGNATURE.toLowerCase()
  const channelId = word('a')
  const read = {
    payer: address('1').toUpperCase(),
    payerAuthorizer: address('2').toUpperCase(),
    receiver: address('3').toUpperCase(),
    receiverAuthorizer: address('4').toUpperCase(),
    token: address('5').toUpperCase(),
    withdrawDelaySeconds: 900n,
    salt: word('6'),
  }
  const claim = { channel: read, maxClaimableAmount: 1_000n, signature, totalClaimed: 900n }
  expect(parseBatchPayload(PAYLOADS.refund, spelling)).toEqual({
    ...{ type: 'refund', channel: read, amount: 7n },
    voucher: { channelId, maxClaimableAmount: 1_000n, signature },
    completed: {
      ...{ nonce: 0n, claims: [claim], refundSignature: signature, claimSignature: signature },
    },
  })
  expect(parseBatchPayload(PAYLOADS['deposit by Permit2'], spelling)).toMatchObject({
    amount: 5_000n,
    authorizations: {
      eip3009: undefined,
      permit2: {
        ...{ from: read.payer, token: read.token, permitted: 5_000n },
        ...{ nonce: 7n, deadlineSeconds: 1_790_000_000n, channelId, signature },
      },
    },
  })
})

/** Every way to a value inside, the lists' first entries only. */
function pathsOf(value: unknown, at: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [at]
  return [
    ...(at.length === 0 ? [] : [at]),
    ...Object.entries(value).flatMap(([name, inner]) =>
      Array.isArray(value) && name !== '0' ? [] : pathsOf(inner, [...at, name]),
    ),
  ]
}

function changed(value: unknown, [name, ...rest]: readonly string[], to: unknown): unknown {
  if (name === undefined) return to
  if (Array.isArray(value)) {
    return value.map((item, index) => (`${index}` === name ? changed(item, rest, to) : item))
  }
  return { ...(value as Fields), [name]: changed((value as Fields)[name], rest, to) }
}

/** What no part may be, whichever it is. */
const NEVER = [null, true, -1, 1.5, '', '0x', 'x', '-1', '01', '1e3', [], {}, `0x${'f'.repeat(63)}`]

test.each(Object.entries(PAYLOADS))(
  'a %s of which one part is another thing is none',
  (_, payload) => {
    for (const path of pathsOf(payload)) {
      for (const never of NEVER) {
        const read = parseBatchPayload(changed(payload, path, never) as Fields, spelling)
        if (path[0] === 'type') expect(read).toBe('unknown')
        // Which authorization is missing is said against what the seller asks for.
        else if (path.join('.') === 'deposit.authorization' && isPlain(never)) {
          expect(read).toMatchObject({ authorizations: {} })
        }
        // A claim may have no rows where a refund needs none.
        else if (path.join('.') === 'claims' && Array.isArray(never) && payload.type === 'refund') {
          expect(read).toMatchObject({ completed: { claims: [] } })
        } else expect([path.join('.'), never, read]).toEqual([path.join('.'), never, undefined])
      }
    }
  },
)

const isPlain = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

test('amounts are of 128 bits, delays of 40, claims 128 at most', () => {
  const claims = (count: number) => ({
    type: 'claim',
    claims: Array.from({ length: count }, () => row),
  })
  expect(parseBatchPayload(claims(128), spelling)).toMatchObject({ type: 'claim' })
  for (const count of [0, 129]) expect(parseBatchPayload(claims(count), spelling)).toBeUndefined()
  const most = 2n ** 128n
  for (const [amount, isTaken] of [
    [most - 1n, true],
    [most, false],
  ] as const) {
    const read = parseBatchPayload(
      changed(PAYLOADS.deposit, ['deposit', 'amount'], `${amount}`) as Fields,
      spelling,
    )
    expect(read !== undefined).toBe(isTaken)
  }
  for (const [delay, isTaken] of [
    [2 ** 40 - 1, true],
    [2 ** 40, false],
  ] as const) {
    const path = ['channelConfig', 'withdrawDelay']
    const read = parseBatchPayload(changed(PAYLOADS.voucher, path, delay) as Fields, spelling)
    expect(read !== undefined).toBe(isTaken)
  }
})

test('what a refund request has of a completed one does not make it one', () => {
  const { refundNonce: _, ...without } = PAYLOADS.refund
  expect(parseBatchPayload(without, spelling)).not.toHaveProperty('completed')
})
