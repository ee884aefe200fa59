import { expect, test } from 'vitest'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { factsText, readFacts } from './facts.ts'
import type { OutboxEvent } from './facts.ts'

const accountId = newId(systemRandom, 'acct')
const fact = (resourceId: string, data: OutboxEvent['data']): OutboxEvent => ({
  ...{ accountId, type: 'payment', resourceId, data },
})

test('facts come back to the letter, whatever they hold', () => {
  const nasty = [
    '',
    '","data":{}',
    ',"data":',
    '\\","data":1',
    'two\nlines\r\nand\ttabs',
    '\u001E\u0000\u2028',
    'ä "quoted" \\ {}',
    '\uD800',
  ]
  const facts = nasty.flatMap((text) => [
    fact(text, { note: text }),
    fact('pay_1', { [text]: { data: text, deep: [text, null, 1.5] } }),
  ])
  const text = factsText(facts)
  const read = readFacts(text)
  expect(read.map(({ resourceId }) => resourceId)).toEqual(facts.map((each) => each.resourceId))
  expect(read.map(({ dataText }) => dataText)).toEqual(
    facts.map(({ data }) => JSON.stringify(data)),
  )
  // What ends a line or a run is in no fact as it is.
  expect(text.split('\n')).toHaveLength(facts.length)
  expect(text).not.toContain('\u001E')
  // Each line is JSON of its own, as statements of the database read it.
  for (const [index, line] of text.split('\n').entries()) {
    const { type, resourceId, data } = facts[index] ?? {}
    expect(JSON.parse(line)).toEqual({ type, resourceId, data })
  }
})

test('a type says its channel, and one that only a newer version knows is its own', () => {
  const line = (type: string) => `{"type":"${type}","resourceId":"x","data":{}}`
  const read = readFacts(['payment', 'settlement', 'refund'].map(line).join('\n'))
  expect(read.map(({ channel }) => channel)).toEqual(['payments', 'settlements', 'refund'])
})
