import { expect, test } from 'vitest'
import { paymentSimulationRead } from './exact-check.ts'
import type { Standing } from './simulation-doubt.ts'

const ANSWER = { context: { slot: 10 }, value: { err: 'BlockhashNotFound' } }

/** The answer of a node at slot 10 to a read that was made when `before` was seen, taken when `after` was. */
function verdict(before: bigint, after: bigint) {
  let seen = before
  const standing: Standing = { seenSlot: () => seen, blockTimeMilliseconds: 400 }
  const read = paymentSimulationRead('', standing)
  seen = after
  return read.parse(ANSWER).check
}

test('a slot that is seen while the answer is on its way makes no expired blockhash a young one', () => {
  const fault = { ok: false, reason: 'invalid_exact_svm_transaction_simulation_failed' }
  expect(verdict(10n, 11n)).toMatchObject(fault)
  expect(verdict(9n, 11n)).toMatchObject(fault)
})

test('a node behind what had been seen when it was asked, or far behind, says nothing of a blockhash', () => {
  const untold = { ok: false, reason: 'network_unavailable' }
  expect(verdict(11n, 11n)).toMatchObject(untold)
  expect(verdict(9n, 500n)).toMatchObject(untold)
})
