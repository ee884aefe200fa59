import fc from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { documentSchemas } from '@florin/server/reference/test-document-schemas.ts'
import { until } from '@florin/server/kernel/until.ts'
import { endpoints } from '@florin/wire/endpoints.ts'
import type { Endpoint } from '@florin/wire/endpoint.ts'
import { openWorld } from './actors/world.ts'
import type { World } from './actors/world.ts'

const RUNS = 12
const rows: readonly Endpoint[] = Object.values(endpoints)

let world: World
let document: any
let compile: ReturnType<typeof documentSchemas>
beforeAll(async () => {
  world = await openWorld({ solana: true })
  document = await (await ask('GET', '/openapi.json')).json()
  compile = documentSchemas(document)
})
afterAll(() => world.stop())

function ask(method: string, path: string, init: RequestInit = {}): Promise<Response> {
  const { apiKeys, baseUrl } = world.service()
  const headers = { authorization: `Bearer ${apiKeys.enterprise}`, ...init.headers }
  return fetch(baseUrl + path, { ...init, method, headers })
}

/** Values that a schema of the document describes, and now and then one of ours that means something. */
function valuesOf(schema: any, name = ''): Arbitrary<unknown> {
  if (schema.$ref !== undefined)
    return valuesOf(document.components.schemas[schema.$ref.split('/').at(-1)])
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const choices = schema.oneOf ?? schema.anyOf
  if (choices !== undefined) return fc.oneof(...choices.map((each: object) => valuesOf(each)))
  switch (schema.type) {
    case 'object':
      return objectsOf(schema)
    case 'array':
      return fc.array(valuesOf(schema.items, name), { maxLength: 2 })
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({
        min: schema.minimum ?? 0,
        max: Math.min(schema.maximum ?? 1e6, 2 ** 31 - 1),
      })
    case 'number':
      return decimalsOf(schema)
    case 'string':
      return textsOf(schema, name)
    default:
      return fc.jsonValue()
  }
}

function objectsOf({ properties = {}, required = [] }: any): Arbitrary<object> {
  const fields = Object.entries(properties).map(([name, field]) => [
    name,
    // A wait would only make the test slow.
    name === 'timeout' ? fc.constant(0) : valuesOf(field, name),
  ])
  const isThere = Object.keys(properties).filter((name) => name === 'timeout')
  return fc.record<any>(Object.fromEntries(fields), { requiredKeys: [...required, ...isThere] })
}

/** Few digits, as the service takes no exponent. */
function decimalsOf({ minimum = 0, maximum = 1e6 }: any): Arbitrary<number> {
  const [min, max] = [Math.ceil(minimum * 1e5), Math.min(Math.floor(maximum * 1e5), 2 ** 31 - 1)]
  return fc.integer({ min, max }).map((count) => count / 1e5)
}

function textsOf({ format, pattern, maxLength = 40 }: any, name: string): Arbitrary<string> {
  if (format === 'uri') return fc.webUrl()
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

function requestsOf(operation: any): Arbitrary<any> {
  const parameters: any[] = (operation.parameters ?? []).filter(
    (each: any) => each.in !== undefined,
  )
  const of = (place: string) => {
    const own = parameters.filter((each) => each.in === place)
    const fields = own.map(({ name, schema }) => [name, valuesOf(schema, name)])
    const required = own.filter((each) => each.required).map(({ name }) => name)
    return fc.record<any>(Object.fromEntries(fields), { requiredKeys: required })
  }
  const schema = operation.requestBody?.content['application/json'].schema
  if (schema === undefined) return fc.record({ params: of('path'), query: of('query') })
  const good = valuesOf(schema) as Arbitrary<object>
  const spoiled = fc
    .tuple(good, fc.string(), fc.jsonValue())
    .map(([value, name, other]) => ({ ...value, [name]: other }))
  const body = fc.oneof({ weight: 3, arbitrary: good }, spoiled)
  return fc.record({ params: of('path'), query: of('query'), body })
}

describe('the document of a running service', () => {
  test.each(rows.map((row) => [row.id, row] as const))(
    '%s answers requests made from it as it says, and never fails',
    async (_, { method, path }) => {
      const operation = document.paths[path][method.toLowerCase()]
      const request = async ({ params, query, body }: any) => {
        const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encoded(params[name]))
        const search = Object.entries(query).map(([name, value]) => `${name}=${encoded(value)}`)
        const answer = await ask(method, `${filled}?${search.join('&')}`, {
          ...(body === undefined
            ? {}
            : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
        })
        const said: any = await answer.json()
        expect(answer.status, JSON.stringify(said)).toBeLessThan(500)
        const response = operation.responses[answer.status]
        expect(response, `${answer.status} ${JSON.stringify(said)}`).toBeDefined()
        const check = compile(response.content['application/json'].schema)
        check(said)
        expect(check.errors ?? []).toEqual([])
        if (answer.status !== 200) expect(response['x-error-codes']).toContain(said.error.code)
        for (const [name, { $ref: pointer }] of Object.entries<any>(response.headers)) {
          const { required, schema } = document.components.headers[pointer.split('/').at(-1)]
          const value = answer.headers.get(name)
          if (required) expect(value, name).not.toBeNull()
          if (value !== null && schema.type === 'string')
            expect(compile(schema)(value), name).toBe(true)
        }
      }
      await fc.assert(fc.asyncProperty(requestsOf(operation), request), { numRuns: RUNS })
    },
  )

  test('is the same bare and under /api, and its servers answer', async () => {
    const { baseUrl } = world.service()
    const same = await (await ask('GET', '/api/openapi.json')).json()
    expect(same).toEqual(document)
    expect(document.servers.map(({ url }: { url: string }) => url)).toEqual([
      baseUrl,
      `${baseUrl}/api`,
    ])
    for (const { url } of document.servers)
      expect((await fetch(`${url}/health/live`)).status).toBe(200)
  })

  test('lists networks with their heights and what a payment costs now, on both chains', async () => {
    const networks = await until(
      'both networks are followed and have said what they ask for',
      async () => {
        const answer = (await (await ask('GET', '/networks')).json()) as any
        return answer.networks.every((each: any) => each.healthy && each.fees !== null)
          ? answer.networks
          : undefined
      },
      { seconds: 30 },
    )
    expect(networks.map(({ family, sandbox }: any) => [family, sandbox])).toEqual([
      ['evm', true],
      ['solana', true],
    ])
    for (const { fees, height } of networks) {
      expect(height).toBeGreaterThanOrEqual(0)
      expect(BigInt(fees.transferBaseUnits)).toBeGreaterThan(0n)
      expect(fees.transfer).toBeGreaterThan(fees.priorityFee)
    }
  })

  test('is led to by every error that the service answers', async () => {
    const { error } = (await (await ask('GET', '/nothing')).json()) as any
    const page = await fetch(error.docs)
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ])
  })
})
