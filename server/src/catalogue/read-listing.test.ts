import {
  declareDiscoveryExtension,
  extractDiscoveryInfo,
  validateDiscoveryExtensionSpec,
} from '@x402/extensions/bazaar'
import { expect, test } from 'vitest'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { readListing } from './read-listing.ts'

const URL_ASKED = 'https://api.example.com/weather?city=Wien#now'
const HTTP = {
  info: { input: { type: 'http', method: 'GET', queryParams: { city: 'Graz' } } },
  schema: { type: 'object', properties: { input: { type: 'object' } }, required: ['input'] },
}
const payloadOf = (bazaar: unknown, resource: Fields = {}) => ({
  x402Version: 2,
  resource: { url: URL_ASKED, ...resource },
  extensions: { bazaar },
})
const read = (bazaar: unknown, resource?: Fields, anyHost = false) =>
  readListing({ paymentPayload: payloadOf(bazaar, resource), paymentRequirements: {} }, { anyHost })
const listingOf = (bazaar: unknown, resource?: Fields) => {
  const outcome = read(bazaar, resource)
  if (outcome.kind !== 'listing') throw new Error(JSON.stringify(outcome))
  return outcome.listing
}

test('a listing says what the stock facilitator takes out of the same payment', () => {
  const resource = {
    description: 'Weather',
    mimeType: 'application/json',
    serviceName: 'Wetter',
    tags: ['a', 'A', 'sun', 'x'.repeat(33), 7],
    iconUrl: 'https://api.example.com/icon.png',
  }
  const withTemplate = { ...HTTP, routeTemplate: '/weather/:city' }
  const { bazaar: tool } = declareDiscoveryExtension({
    toolName: 'forecast',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
    example: { city: 'Graz' },
  })
  for (const bazaar of [HTTP, withTemplate, JSON.parse(JSON.stringify(tool)) as Fields]) {
    const listing = listingOf(bazaar, resource)
    const stock = extractDiscoveryInfo(payloadOf(bazaar, resource) as never, {} as never)
    if (stock === null) throw new Error('the stock package finds nothing')
    expect(listing).toMatchObject({
      resource: stock.resourceUrl,
      description: stock.description,
      mimeType: stock.mimeType,
      serviceName: stock.serviceName,
      tags: stock.tags,
      iconUrl: stock.iconUrl,
      toolName: 'toolName' in stock ? stock.toolName : '',
      method: 'method' in stock ? stock.method : '',
      bazaar: { info: stock.discoveryInfo },
    })
  }
})

test('version 1 is read as the stock facilitator reads it', () => {
  const outputs = [
    { input: { type: 'http', method: 'get', query: { a: '1' } }, output: { b: 2 } },
    { input: { type: 'http', method: 'POST', body_type: 'multipart', data: { a: 1 } } },
    { input: { type: 'http', method: 'PUT', headers: { h: 'x' } }, output: null },
    { input: { type: 'http', method: 'GET', discoverable: false } },
    { input: { type: 'http', method: 'BREW' } },
    { input: { type: 'mcp', method: 'GET' } },
    {},
  ]
  for (const outputSchema of outputs) {
    const paymentRequirements = {
      resource: URL_ASKED,
      description: 'D',
      mimeType: 'a/b',
      outputSchema,
    }
    const paymentPayload = { x402Version: 1 }
    const outcome = readListing({ paymentPayload, paymentRequirements }, { anyHost: false })
    const stock = extractDiscoveryInfo(paymentPayload as never, paymentRequirements as never)
    if (stock === null) {
      expect(outcome).toEqual({ kind: 'none' })
      continue
    }
    expect(outcome).toMatchObject({
      listing: { resource: stock.resourceUrl, bazaar: stock.extensions?.['bazaar'] },
    })
  }
})

test.each([
  ['a method of nobody', { info: { input: { type: 'http', method: 'BREW' } }, schema: {} }],
  [
    'a body without its method',
    { info: { input: { type: 'http', method: 'GET', bodyType: 'json' } }, schema: {} },
  ],
  ['another kind', { info: { input: { type: 'ftp' } }, schema: {} }],
  ['a tool without a name', { info: { input: { type: 'mcp', inputSchema: {} } }, schema: {} }],
  ['a tool without a schema', { info: { input: { type: 'mcp', toolName: 'a' } }, schema: {} }],
  [
    'a transport of nobody',
    {
      info: { input: { type: 'mcp', toolName: 'a', inputSchema: {}, transport: 'tcp' } },
      schema: {},
    },
  ],
])('%s is rejected, as by the stock package', (_, bazaar) => {
  expect(validateDiscoveryExtensionSpec(bazaar).valid).toBe(false)
  expect(read(bazaar)).toEqual({ kind: 'rejected', reason: 'invalid_extension' })
})

test('a payment that asks for nothing is no listing', () => {
  expect(read(undefined)).toEqual({ kind: 'none' })
  expect(readListing({ paymentPayload: 7, paymentRequirements: null }, { anyHost: true })).toEqual({
    kind: 'none',
  })
  expect(read(7)).toEqual({ kind: 'rejected', reason: 'invalid_extension' })
})

test.each([
  'ftp://api.example.com/',
  'https://user:secret@api.example.com/',
  'no address',
  '',
  `https://api.example.com/${'a'.repeat(1_100)}`,
])('"%s" is no address of a resource', (url) => {
  expect(read(HTTP, { url })).toEqual({ kind: 'rejected', reason: 'invalid_resource_url' })
})

test.each([
  'http://127.0.0.1:4021/a',
  'http://localhost/a',
  'http://[::1]/a',
  'http://10.1.2.3/a',
  'http://2130706433/a',
  'http://0x7f.1/a',
  'http://printer/a',
  'http://shop.internal/a',
  'http://db.localhost./a',
])('%s is listed in a sandbox only', (url) => {
  expect(read(HTTP, { url })).toEqual({ kind: 'rejected', reason: 'resource_not_public' })
  expect(read(HTTP, { url }, true).kind).toBe('listing')
})

test.each(['/../admin', '/%2e%2e/admin', '/%252e%252e/a', '/a b', 'https://other.example', '/%'])(
  'the template %s does not change the address',
  (routeTemplate) => {
    const { resource, bazaar } = listingOf({ ...HTTP, routeTemplate })
    expect(resource).toBe('https://api.example.com/weather')
    expect(bazaar).not.toHaveProperty('routeTemplate')
  },
)

test('what is too large, or no text of a database, is rejected', () => {
  const large = { ...HTTP, info: { ...HTTP.info, output: 'x'.repeat(20_000) } }
  expect(read(large)).toEqual({ kind: 'rejected', reason: 'too_large' })
  const nul = { ...HTTP, info: { ...HTTP.info, output: '\0' } }
  expect(read(nul)).toEqual({ kind: 'rejected', reason: 'invalid_extension' })
})

test('words for people are one line, cut, and carry nothing that a page would obey', () => {
  const description = `a\u0000\u202eb\n\u2028c ${'é'.repeat(2_000)}`
  const listing = listingOf(HTTP, { description, mimeType: 'a\nb', iconUrl: 'http://10.0.0.1/i' })
  expect(listing.description).toMatch(/^a b c é+$/)
  expect([...(listing.description ?? '')]).toHaveLength(1_000)
  expect(listing).toMatchObject({ mimeType: null, iconUrl: null })
})
