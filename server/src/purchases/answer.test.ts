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

test('of an answer that was too long its head is told, and what the seller says of the settlement', () => {
  const receipt = { success: true, transaction: '0xabc' }
  const written = Buffer.from(JSON.stringify(receipt)).toString('base64')
  const head = (fields: Readonly<Record<string, string>>) => ({ status: 200, headers: fields })
  const told = (fields: Readonly<Record<string, string>>) => {
    const went = { payment: null, answer: null, problem: 'body_too_long', replayed: false }
    return purchaseFacts({ ...went, lost: head(fields) }, testNetwork(84_532))
  }
  const lengths = { 'content-length': '5000000', 'content-type': 'application/pdf' }
  expect(told({ ...lengths, 'payment-response': written })).toMatchObject({
    ...{ response: null, problem: 'body_too_long', receipt },
    lost: { status: 200, contentLength: 5_000_000, contentType: 'application/pdf' },
  })
  expect(told({ 'content-length': '1e9' }).lost).toEqual({
    ...{ status: 200, contentLength: null, contentType: null },
  })
})

test('an answer without cookies says nothing of them', () => {
  expect(toldOf({ 'x-a': '1' })).not.toHaveProperty('setCookies')
})
