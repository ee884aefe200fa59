import { expect, test } from 'vitest'
import { testNetwork } from '../payments/test-lane.ts'
import { purchaseFacts } from './answer.ts'
import { keptAnswer } from './ask-seller.ts'

/** What a buyer is told of an answer with these headers. */
function toldOf(headers: Readonly<Record<string, string>>) {
  const asked = { status: 200, headers: new Map(Object.entries(headers)), body: new Uint8Array() }
  const went = { payment: null, answer: keptAnswer(asked), problem: null, replayed: false }
  return purchaseFacts(went, testNetwork(84_532)).response
}

test('cookies of a seller stay apart, and stand among the headers as they did before', () => {
  const cookies = ['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2; Path=/']
  const told = toldOf({ 'set-cookie': cookies.join('\n'), 'x-a': '1' })
  expect(told?.setCookies).toEqual(cookies)
  expect(told?.headers).toEqual({ 'set-cookie': cookies.join(', '), 'x-a': '1' })
})

test('an answer without cookies says nothing of them', () => {
  expect(toldOf({ 'x-a': '1' })).not.toHaveProperty('setCookies')
})
