import { expect, test } from 'vitest'
import { addressFromBytes, requireAddress } from './account.ts'
import type { Permit2Authorization } from './permit2.ts'
import { checkPermit2 } from './permit2-check.ts'
import type { Permit2CheckDeps } from './permit2-check.ts'
import { USDC } from './test-network.ts'

const NOW = 1_000_000n
const account = (byte: number) => addressFromBytes(new Uint8Array(20).fill(byte))

/** What is said of a payment with this end whose nonce is used, by an owner who approved nothing. */
async function toldOfUsed(
  ends: { readonly deadlineSeconds: bigint; readonly permitDeadlineSeconds: bigint },
  by: { readonly isKeySigned: boolean; readonly wasJudged?: true } = { isKeySigned: true },
): Promise<unknown> {
  const signature = new Uint8Array(65)
  const authorization: Permit2Authorization = {
    ...{ scheme: 'exact', token: requireAddress(USDC.asset), from: account(1), to: account(2) },
    ...{ permitted: 500n, value: 500n, nonce: 0n, validAfterSeconds: 0n, facilitator: null },
    ...{ deadlineSeconds: ends.deadlineSeconds, signature },
    permit: { value: 500n, deadlineSeconds: ends.permitDeadlineSeconds, signature },
  }
  const asking = {
    code: { hasCode: async () => false, hasCodeNow: async () => false },
    // The nonces, the balance, the allowance, the proxy and the time.
    views: { read: async () => [1n, 500n, 0n, 1n, NOW] },
    wasJudged: by.wasJudged,
  } as Partial<Permit2CheckDeps> as Permit2CheckDeps
  const digest = () => new Uint8Array(32)
  return checkPermit2(asking, { authorization, isKeySigned: by.isKeySigned, digest })
}

test('a used nonce is told before what is too late: a fresh payment would pay twice', async () => {
  const used = { ok: false, reason: 'permit2_invalid_nonce', isUsed: true }
  const late = NOW - 1n
  const soon = NOW + 60n
  expect(await toldOfUsed({ deadlineSeconds: late, permitDeadlineSeconds: soon })).toEqual(used)
  expect(await toldOfUsed({ deadlineSeconds: soon, permitDeadlineSeconds: late })).toEqual(used)
})

test('a used nonce of what nobody vouches for speaks of that payment only where it was judged before', async () => {
  const soon = { deadlineSeconds: NOW + 60n, permitDeadlineSeconds: NOW + 60n }
  const refused = { ok: false, reason: 'invalid_permit2_signature' }
  expect(await toldOfUsed(soon, { isKeySigned: false })).toEqual(refused)
  expect(await toldOfUsed(soon, { isKeySigned: false, wasJudged: true })).toEqual({
    ...refused,
    isUsed: true,
  })
})
