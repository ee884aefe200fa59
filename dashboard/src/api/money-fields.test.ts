import { endpoints } from '@florin/wire/endpoints.ts'
import { ExactNumber } from '@florin/wire/fields.ts'
import { peopleEndpoints } from '@florin/wire/people-endpoints.ts'
import { expect, test } from 'vitest'
import { MONEY_FIELDS, readJson } from './money-fields.ts'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** Names of the number fields of a schema: those of money, and the others. */
function numberFields(schema: unknown, name = '', found = { money: new Set(), plain: new Set() }) {
  if (Array.isArray(schema)) for (const each of schema) numberFields(each, name, found)
  if (!isObject(schema) || Array.isArray(schema)) return found
  const isExact = schema['type'] === 'number' && schema['minimum'] === undefined
  if (isExact && Object.keys(ExactNumber).every((key) => key in schema)) found.money.add(name)
  else if (schema['type'] === 'number' || schema['type'] === 'integer') found.plain.add(name)
  for (const part of ['anyOf', 'items']) numberFields(schema[part], name, found)
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  for (const [field, of] of Object.entries(properties)) numberFields(of, field, found)
  return found
}

const answers = Object.values({ ...endpoints, ...peopleEndpoints }).map(({ answer }) => answer)
const { money, plain } = numberFields(answers)

test('rule: the list names every field of money in the contract, and no other number', () => {
  expect([...MONEY_FIELDS].toSorted()).toEqual([...money].toSorted())
  expect([...MONEY_FIELDS].filter((field) => plain.has(field))).toEqual([])
})

test('an amount keeps every digit that was sent, other numbers are numbers', () => {
  const text = '{"amount":0.100000000000000000001,"fee":1e-7,"held":null,"height":12,"sent":[5]}'
  expect(readJson(text)).toEqual({
    amount: '0.100000000000000000001',
    fee: '1e-7',
    held: null,
    height: 12,
    sent: [5],
  })
})
