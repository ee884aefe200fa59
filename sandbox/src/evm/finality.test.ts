import { expect, test } from 'vitest'
import { namesFinality, pinFinality } from './finality.ts'

test.each([
  [
    ['0xabc', 'finalized'],
    ['0xabc', '0x10'],
  ],
  [
    ['safe', false],
    ['0x10', false],
  ],
  [[{ fromBlock: 'finalized', toBlock: 'latest' }], [{ fromBlock: '0x10', toBlock: 'latest' }]],
  [
    [{ to: '0x1' }, { blockNumber: 'safe' }],
    [{ to: '0x1' }, { blockNumber: '0x10' }],
  ],
  [
    [{ data: 'finalized' }, 'latest'],
    [{ data: 'finalized' }, 'latest'],
  ],
  [[null], [null]],
])('%j becomes %j at block 16', (before, after) => {
  expect(pinFinality({ method: 'm', params: before }, 16)).toEqual({ method: 'm', params: after })
})

test('calls without a list of parameters pass as they are', () => {
  expect(pinFinality({ method: 'm' }, 16)).toEqual({ method: 'm' })
})

test('a body that names no tag is known by its bytes', () => {
  const named = (text: string) => namesFinality(Buffer.from(text))
  expect([named('["0x1","finalized"]'), named('["safe"]'), named('["latest"]')]).toEqual([
    true,
    true,
    false,
  ])
})
