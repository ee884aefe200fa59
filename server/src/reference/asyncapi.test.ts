import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { asyncApiDocument } from './asyncapi.ts'

const document = asyncApiDocument('https://pay.example')

function references(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name === '$ref' && typeof inner === 'string' ? [inner] : references(inner),
  )
}

test('every reference of the document leads somewhere', () => {
  const found = references(document)
  expect(found.length).toBeGreaterThan(20)
  for (const reference of found) {
    const target = reference
      .slice(2)
      .split('/')
      .reduce<unknown>((at, part) => Reflect.get(Object(at), part), document)
    expect(target, reference).toBeDefined()
  }
})

test('every message has a schema that can be compiled, and a client message takes nothing unknown', () => {
  const ajv = new Ajv2020({ strict: false })
  for (const schema of Object.values(document.components.schemas)) ajv.compile(schema)
  const ping = ajv.compile(document.components.schemas['client.ping'] ?? {})
  expect([ping({ method: 'ping' }), ping({ method: 'ping', more: 1 })]).toEqual([true, false])
})

test('the address is that of the installation', () => {
  expect(document.servers.here).toMatchObject({ host: 'pay.example', protocol: 'wss' })
  const behind = asyncApiDocument('http://127.0.0.1:4020/pay').servers.here
  expect([behind.pathname, behind.protocol]).toEqual(['/pay/api', 'ws'])
})
