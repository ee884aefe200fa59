import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { describedOperations } from '@florin/wire/described-operations.ts'
import { endpoints } from '@florin/wire/endpoints.ts'
import type { Endpoint } from '@florin/wire/endpoint.ts'
import { catalogue } from '@florin/wire/errors.ts'
import { eventStream } from '@florin/wire/events.ts'
import { operationReferences } from '@florin/wire/reference/operations.ts'
import { errorExamples } from './test-error-examples.ts'
import { openApiDocument } from './openapi.ts'
import { documentSchemas, operationOf } from './test-document.ts'
import type { TestDocument } from './test-document.ts'
import { OpenApiShape } from './test-openapi-shape.ts'

const BASE = 'https://pay.example'
const rows: readonly Endpoint[] = describedOperations
const write = (endpoints: readonly Endpoint[] = rows): TestDocument =>
  JSON.parse(
    JSON.stringify(
      openApiDocument({
        endpoints,
        references: operationReferences,
        errorExamples: errorExamples(BASE),
        baseUrl: BASE,
      }),
    ),
  )

const document = write()
const compile = documentSchemas(document)

/** Every value of a key anywhere in the document. */
function all(key: string, within: unknown = document): unknown[] {
  if (typeof within !== 'object' || within === null) return []
  const own = Object.entries(within).filter(([name]) => name === key)
  return [...own.map(([, value]) => value), ...Object.values(within).flatMap((v) => all(key, v))]
}

function resolve(pointer: string): unknown {
  const parts = pointer.replace(/^#\//, '').split('/')
  return parts.reduce<unknown>((at, part) => Object(at)[part], document)
}

function fail(reason: string): never {
  throw new Error(reason)
}

describe('the OpenAPI document', () => {
  test('has the shape that the specification asks for, and nothing misspelt', () => {
    const check = new Ajv2020({ allErrors: true }).compile(OpenApiShape)
    check(document)
    expect(check.errors ?? []).toEqual([])
  })

  test('a misspelt field is found', () => {
    const check = new Ajv2020().compile(OpenApiShape)
    expect(check({ ...document, path: {} })).toBe(false)
    const [first] = Object.keys(document.paths)
    const broken = structuredClone(document)
    Object.assign(Object.values(broken.paths[first ?? ''] ?? {})[0] ?? {}, { requestbody: {} })
    expect(check(broken)).toBe(false)
  })

  test('has every row once, under its own id', () => {
    const said = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [operationId, method, path]),
    )
    expect(said.sort()).toEqual(
      rows.map(({ id, method, path }) => [id, method.toLowerCase(), path]).sort(),
    )
    expect(new Set(said.map(([id]) => id)).size).toBe(rows.length)
  })

  test('refers only to what it has', () => {
    const references = all('$ref')
    expect(references.length).toBeGreaterThan(100)
    for (const reference of references)
      expect(resolve(String(reference)), String(reference)).toBeDefined()
  })

  test('has nothing that nobody refers to', () => {
    const used = new Set(all('$ref').map(String))
    for (const kind of ['schemas', 'headers', 'parameters', 'examples'] as const) {
      for (const name of Object.keys(document.components[kind])) {
        expect([...used]).toContain(`#/components/${kind}/${name}`)
      }
    }
  })

  test('has schemas that compile, none of them with a word of our own', () => {
    for (const schema of Object.values<object>(document.components.schemas)) compile(schema)
    for (const { schema } of Object.values(document.components.headers)) compile(schema)
    for (const word of ['money', 'httpUrl', 'keptBytesMax', 'absent', '~kind', '~optional']) {
      expect(all(word), word).toEqual([])
    }
  })

  test.each(rows.map((row) => [row.id, row] as const))('%s fits its examples', (id, row) => {
    const operation = operationOf(document, row)
    for (const content of [
      ...(operation.requestBody === undefined ? [] : [operation.requestBody.content]),
      operation.responses['200']?.content ?? fail('no answer'),
    ]) {
      const { schema, example } = content['text/event-stream'] ?? content['application/json']
      const check = compile(schema)
      check(example)
      expect(check.errors ?? [], id).toEqual([])
    }
    for (const { in: place, schema, example } of operation.parameters ?? []) {
      if (place === 'path') expect(compile(schema)(example)).toBe(true)
    }
  })

  test('has the stream of events, in its own form and with what it is asked', () => {
    const { parameters = [], responses } = operationOf(document, eventStream)
    expect(parameters.map(({ in: place, name }) => [place, name])).toEqual([
      ['query', 'keys'],
      ['query', 'after'],
    ])
    expect(Object.keys(responses['200']?.content ?? {})).toEqual(['text/event-stream'])
    expect(responses['429']?.['x-error-codes']).toContain('CONNECTION_LIMIT')
    expect(Object.keys(responses['429']?.content ?? {})).toEqual(['application/json'])
  })

  test('says of amounts, and of the shape of answers, what is so', () => {
    expect(document.info.description).toContain('may have an exponent')
    expect(document.info.description).toContain('those in the words of x402')
  })

  test('asks for a body where there is something to say, and for none where `{}` says it all', () => {
    const isRequired = (id: string) =>
      operationOf(document, rows.find((row) => row.id === id) ?? fail(id)).requestBody?.required
    expect(isRequired('rotateKey')).toBe(false)
    expect(isRequired('sendPayment')).toBe(true)
    // Nothing in the place of something would lift it.
    expect(isRequired('setWalletPolicy')).toBe(true)
  })

  test('writes no number with an exponent, as the service does not', () => {
    const numbers = (value: unknown): number[] =>
      typeof value === 'number'
        ? [value]
        : typeof value === 'object' && value !== null
          ? Object.values(value).flatMap(numbers)
          : []
    const found = numbers(operationReferences)
    expect(found.length).toBeGreaterThan(20)
    for (const number of found) expect(String(number)).not.toContain('e')
  })

  test('shows each error as the service writes it', () => {
    const check = compile({ $ref: '#/components/schemas/Error' })
    const examples = Object.entries(document.components.examples)
    expect(examples.length).toBeGreaterThan(10)
    for (const [code, { value }] of examples) {
      expect(check(value), code).toBe(true)
      expect(value.error).toMatchObject({ code, docs: `${BASE}/docs/errors/${code}` })
    }
  })

  test('lists for each operation its own codes and those of the edge, by status', () => {
    const { responses } = operationOf(document, endpoints.sendPayment)
    const codes = Object.entries(responses).flatMap(([status, response]) =>
      (response['x-error-codes'] ?? []).map((code) => {
        expect(Object(catalogue)[code].status).toBe(Number(status))
        return code
      }),
    )
    expect(codes).toEqual(expect.arrayContaining([...endpoints.sendPayment.fails]))
    expect(codes).toEqual(expect.arrayContaining(['UNAUTHORIZED', 'RATE_LIMIT', 'INTERNAL_ERROR']))
    expect(operationOf(document, endpoints.healthLive).responses).not.toHaveProperty('401')
    expect(Object.keys(responses['429']?.headers ?? {})).toEqual(
      expect.arrayContaining(['Retry-After', 'X-RateLimit-Limit', 'RateLimit', 'X-Request-Id']),
    )
    expect(responses['200']?.headers).toHaveProperty('Idempotent-Replayed')
    expect(responses['401']?.headers).not.toHaveProperty('X-RateLimit-Limit')
  })

  test('asks for a key with the scope of the row, and for none on health', () => {
    const security = [{ apiKey: ['write'] }, { session: [] }]
    expect(operationOf(document, endpoints.sendPayment).security).toEqual(security)
    expect(operationOf(document, endpoints.healthLive).security).toEqual([])
  })

  test('marks a deprecated row, with the headers of its answers', () => {
    const row: Endpoint = {
      ...endpoints.getWallet,
      deprecated: { sinceMilliseconds: 0, sunsetMilliseconds: 0, guide: '/docs/guides/x' },
    }
    const get = operationOf(write([row]), row)
    expect(get.deprecated).toBe(true)
    for (const response of Object.values(get.responses)) {
      expect(Object.keys(response.headers)).toEqual(
        expect.arrayContaining(['Deprecation', 'Sunset', 'Link']),
      )
    }
    expect(operationOf(document, row)).not.toHaveProperty('deprecated')
  })
})
