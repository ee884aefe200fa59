import fc from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '@florin/server/kernel/until.ts'
import type { JsonSchema } from '@florin/server/reference/json-schema.ts'
import { documentSchemas, operationOf } from '@florin/server/reference/test-document.ts'
import type { DocumentOperation, TestDocument } from '@florin/server/reference/test-document.ts'
import { endpoints } from '@florin/wire/endpoints.ts'
import type { Endpoint } from '@florin/wire/endpoint.ts'
import { openOddSeller } from './actors/odd-seller.ts'
import type { OddSeller } from './actors/odd-seller.ts'
import { openWorld } from './actors/world.ts'
import type { World } from './actors/world.ts'

const RUNS = 8
const rows: readonly Endpoint[] = Object.values(endpoints)

let world: World
/** Where every address of the requests leads: whatever is asked of it, it hands out nothing for nothing. */
let elsewhere: OddSeller
let document: TestDocument
let compile: ReturnType<typeof documentSchemas>
beforeAll(async () => {
  // What is built for a wallet and never signed stays open for as long as its nonce is free.
  world = await openWorld({ solana: true, unsound: true })
  elsewhere = await openOddSeller((_, answer) => {
    answer.end()
  })
  document = (await (await ask('GET', '/openapi.json')).json()) as TestDocument
  compile = documentSchemas(document)
})
afterAll(async () => {
  await elsewhere.stop()
  await world.stop()
})

function ask(method: string, path: string, init: RequestInit = {}): Promise<Response> {
  const { apiKeys, baseUrl } = world.service()
  const headers = { authorization: `Bearer ${apiKeys.enterprise}`, ...init.headers }
  return fetch(baseUrl + path, { ...init, method, headers })
}

type Fields = Readonly<Record<string, unknown>>

/** A request made from the document: what stands in the path, after it, and in the body. */
interface Made {
  readonly params: Fields
  readonly query: Fields
  readonly body?: object
}

/** Values that a schema of the document describes, and now and then one of ours that means something. */
function valuesOf(schema: JsonSchema, name = ''): Arbitrary<unknown> {
  const { $ref, anyOf, enum: choices, items = {}, oneOf, type } = schema
  if ($ref !== undefined) return valuesOf(document.components.schemas[lastOf($ref)] ?? {}, name)
  if ('const' in schema) return fc.constant(schema.const)
  if (choices !== undefined) return fc.constantFrom(...choices)
  const ways = oneOf ?? anyOf
  if (ways !== undefined) return fc.oneof(...ways.map((each) => valuesOf(each)))
  switch (type) {
    case 'object':
      return objectsOf(schema)
    case 'array':
      return fc.array(valuesOf(items, name), { maxLength: 2 })
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1e6, LARGE) })
    case 'number':
      return decimalsOf(schema)
    case 'string':
      return textsOf(schema, name)
    default:
      return fc.jsonValue()
  }
}

const LARGE = 2 ** 31 - 1

function lastOf(pointer: string): string {
  return pointer.split('/').at(-1) ?? ''
}

function objectsOf({ properties = {}, required = [] }: JsonSchema): Arbitrary<object> {
  const fields: Record<string, Arbitrary<unknown>> = {}
  for (const [name, field] of Object.entries(properties)) fields[name] = valuesOf(field, name)
  // A wait would only make the test slow.
  if ('timeout' in fields) fields['timeout'] = fc.constant(0)
  return fc.record(fields, {
    requiredKeys: [...required, ...('timeout' in fields ? ['timeout'] : [])],
  })
}

/** As few digits as every asset has. */
function decimalsOf({ minimum = 0, maximum = 1e6 }: JsonSchema): Arbitrary<number> {
  const [min, max] = [Math.ceil(minimum * 1e5), Math.min(Math.floor(maximum * 1e5), LARGE)]
  return fc.integer({ min, max }).map((count) => count / 1e5)
}

function textsOf({ format, pattern, maxLength = 40 }: JsonSchema, name: string): Arbitrary<string> {
  if (format === 'uri') return fc.webPath().map((path) => new URL(elsewhere.url).origin + path)
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern))
  const any = fc.string({ unit: 'binary', minLength: 1, maxLength: Math.min(maxLength, 40) })
  const known = KNOWN[name]?.()
  return known === undefined
    ? any
    : fc.oneof(any, { weight: 6, arbitrary: fc.constantFrom(...known) })
}

const addresses = () => world.service().wallets.map(({ address }) => address)
const KNOWN: Readonly<Record<string, () => string[]>> = {
  address: addresses,
  walletAddress: addresses,
  recipientAddress: addresses,
  recipients: addresses,
  sender: addresses,
  asset: () => ['native', 'USDC'],
  network: () => [world.sandbox.network],
}

/** Half of a surrogate pair has no percent-encoding. */
const encoded = (value: unknown) => encodeURIComponent(String(value).toWellFormed())

function requestsOf({ parameters = [], requestBody }: DocumentOperation): Arbitrary<Made> {
  const of = (place: string) => {
    const own = parameters.filter((each) => each.in === place)
    const fields = Object.fromEntries(own.map(({ name, schema }) => [name, valuesOf(schema, name)]))
    const required = own.filter((each) => each.required).map(({ name }) => name)
    return fc.record(fields, { requiredKeys: required }) as Arbitrary<Fields>
  }
  const rest = { params: of('path'), query: of('query') }
  if (requestBody === undefined) return fc.record(rest)
  const good = valuesOf(requestBody.content['application/json'].schema) as Arbitrary<object>
  const spoiled = fc
    .tuple(good, fc.string(), fc.jsonValue())
    .map(([value, name, other]) => ({ ...value, [name]: other }))
  return fc.record({ ...rest, body: fc.oneof({ weight: 3, arbitrary: good }, spoiled) })
}

/** Sends it, and throws unless the answer is what the document says. */
async function expectAsDocumented(row: Endpoint, { params, query, body }: Made): Promise<void> {
  const filled = row.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encoded(params[name]))
  const search = Object.entries(query).map(([name, value]) => `${name}=${encoded(value)}`)
  const sent =
    body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const answer = await ask(row.method, `${filled}?${search.join('&')}`, sent)
  const said = (await answer.json()) as { error?: { code: string } }
  expect(answer.status, JSON.stringify(said)).toBeLessThan(500)
  const response = operationOf(document, row).responses[answer.status]
  if (response === undefined) throw new Error(`${answer.status} is not in the document`)
  const check = compile(response.content['application/json'].schema)
  check(said)
  expect(check.errors ?? []).toEqual([])
  if (answer.status !== 200) expect(response['x-error-codes']).toContain(said.error?.code)
  for (const [name, { $ref: pointer }] of Object.entries(response.headers)) {
    const header = document.components.headers[lastOf(pointer)]
    const value = answer.headers.get(name)
    if (header?.required === true) expect(value, name).not.toBeNull()
    if (value !== null && header?.schema.type === 'string') {
      expect(compile(header.schema)(value), name).toBe(true)
    }
  }
}

interface Standing {
  readonly family: string
  readonly height: number
  readonly fees: { transfer: number; transferBaseUnits: string; priorityFee: number } | null
  readonly healthy: boolean
  readonly sandbox: boolean
}

describe('the document of a running service', () => {
  test.each(rows.map((row) => [row.id, row] as const))(
    '%s answers requests made from it as it says, and never fails',
    async (_, row) => {
      const requests = requestsOf(operationOf(document, row))
      await fc.assert(
        fc.asyncProperty(requests, (made) => expectAsDocumented(row, made)),
        { numRuns: RUNS },
      )
    },
  )

  test('is the same bare and under /api, and its servers answer', async () => {
    const { baseUrl } = world.service()
    const same = await (await ask('GET', '/api/openapi.json')).json()
    expect(same).toEqual(document)
    expect(document.servers.map(({ url }) => url)).toEqual([baseUrl, `${baseUrl}/api`])
    for (const { url } of document.servers)
      expect((await fetch(`${url}/health/live`)).status).toBe(200)
  })

  test('lists networks with their heights and what a payment costs now, on both chains', async () => {
    const networks = await until(
      'both networks are followed and have said what they ask for',
      async () => {
        const answer = (await (await ask('GET', '/networks')).json()) as {
          networks: Standing[]
        }
        return answer.networks.every((each) => each.healthy && each.fees !== null)
          ? answer.networks
          : undefined
      },
      { seconds: 30 },
    )
    expect(networks.map(({ family, sandbox }) => [family, sandbox])).toEqual([
      ['evm', true],
      ['solana', true],
    ])
    for (const { fees, height } of networks) {
      expect(height).toBeGreaterThanOrEqual(0)
      expect(BigInt(fees?.transferBaseUnits ?? 0)).toBeGreaterThan(0n)
      expect(fees?.transfer).toBeGreaterThan(fees?.priorityFee ?? 0)
    }
  })

  test('is led to by every error that the service answers', async () => {
    const { error } = (await (await ask('GET', '/nothing')).json()) as {
      error: { docs: string }
    }
    const page = await fetch(error.docs)
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ])
  })
})
