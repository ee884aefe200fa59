import { expect, test } from 'vitest'
import type { Verdict } from '../chains/chain.ts'
import { verdictFields } from './submit.ts'

test('nothing that may be on chain already is said to be refused', () => {
  const said = (verdict: Verdict) => verdictFields(verdict)
  for (const kind of ['nonce_too_low', 'replacement_underpriced'] as const) {
    expect(said({ kind })).toEqual({ accepted: null, reason: kind })
  }
  expect(said({ kind: 'unknown', reason: 'no answer' })).toEqual({
    accepted: null,
    reason: 'unknown',
  })
  expect(said({ kind: 'nonce_too_high' })).toMatchObject({ accepted: false })
  expect(said({ kind: 'rejected', reason: 'invalid' })).toMatchObject({ accepted: false })
  expect(said({ kind: 'known' })).toEqual({ accepted: true, reason: null })
})
