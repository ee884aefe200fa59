import { expect, test } from 'vitest'
import type { PolicyRefusal } from '../policies/decide.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { refusalOf } from './refusal-of.ts'
import { testNetwork } from './test-lane.ts'

const chain = scriptedChain(testNetwork(84532), {})
const [asset] = chain.config.assets

function refused(refusal: PolicyRefusal) {
  if (asset === undefined) throw new Error('the network has no asset')
  return refusalOf({ kind: 'policy', refusal }, { chain, asset })
}

test.each([
  ['limits', /has limits, and none for this asset/],
  ['recipients', /names whom it may pay, and this recipient is not among them/],
  ['resources', /names what it may pay for, and `resource` is none of that, or was left out/],
] as const)('a payment that the list of %s leaves out is told that', (rule, says) => {
  const { code, message, details } = refused({ rule })
  expect([code, details]).toEqual(['POLICY_REFUSED', { rule }])
  expect(message).toMatch(says)
})

test('a payment over a limit is told the limit and what is left of it', () => {
  const over = { rule: 'perDay', limit: '2', left: '0.2' } as const
  const { message, details } = refused(over)
  expect(details).toEqual(over)
  expect(message).toContain('(rule: perDay; limit: 2; left: 0.2)')
})
