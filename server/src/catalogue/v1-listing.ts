import { fieldsOf } from '@florin/wire/x402/fields.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'

const QUERY_METHODS = ['GET', 'HEAD', 'DELETE']
const BODY_METHODS = ['POST', 'PUT', 'PATCH']

/**
 * What version 1 says in `outputSchema` of the requirements, in the shape of version 2; undefined when it asks for nothing. Names that
 * sellers have used for the same thing are read alike. Source: x402 2.27, bazaar: v1 facilitator.
 */
export function bazaarOfV1(outputSchema: unknown): Fields | undefined {
  const said = fieldsOf(outputSchema)
  const input = fieldsOf(said?.['input'])
  if (said === undefined || input === undefined) return undefined
  if (input['type'] !== 'http' || input['discoverable'] === false) return undefined
  const method = typeof input['method'] === 'string' ? input['method'].toUpperCase() : ''
  const hasBody = BODY_METHODS.includes(method)
  if (!hasBody && !QUERY_METHODS.includes(method)) return undefined
  const queryParams = first(input, ['queryParams', 'query_params', 'query', 'params'])
  const headers = first(input, ['headerFields', 'header_fields', 'headers'])
  const bodyNames = ['bodyFields', 'body_fields', 'bodyParams', 'body', 'data', 'properties']
  const { output } = said
  const info = {
    input: {
      type: 'http',
      method,
      ...(hasBody ? { bodyType: bodyTypeOf(input), body: first(input, bodyNames) ?? {} } : {}),
      ...(queryParams === undefined ? {} : { queryParams }),
      ...(headers === undefined ? {} : { headers }),
    },
    ...(output === undefined || output === null
      ? {}
      : { output: { type: 'json', example: output } }),
  }
  return { info, schema: SCHEMA }
}

const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { input: { type: 'object' }, output: { type: 'object' } },
  required: ['input'],
}

function first(input: Fields, names: readonly string[]): object | undefined {
  for (const name of names) {
    const value = input[name]
    if (typeof value === 'object' && value !== null) return value
  }
  return undefined
}

function bodyTypeOf(input: Fields): string {
  const said = input['bodyType'] ?? input['body_type']
  const type = typeof said === 'string' ? said.toLowerCase() : ''
  if (/form|multipart/.test(type)) return 'form-data'
  return /text|plain/.test(type) ? 'text' : 'json'
}
