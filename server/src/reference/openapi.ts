import { published } from '@florin/wire/endpoint.ts'
import type { Endpoint } from '@florin/wire/endpoint.ts'
import { catalogue, ERROR_CODES } from '@florin/wire/errors.ts'
import type { ErrorCode } from '@florin/wire/errors.ts'
import { groupOf } from '@florin/wire/reference/groups.ts'
import type { OperationReference } from '@florin/wire/reference/operation-reference.ts'
import { bodyRules } from '../http/rules.ts'
import type { Rules } from '../http/rules.ts'
import { limits } from '../kernel/limits.ts'
import { isAbsent } from './absent.ts'
import { exampleAnswer } from './example-answer.ts'
import { toJsonSchema } from './json-schema.ts'
import type { JsonSchema } from './json-schema.ts'
import { NAMED_SCHEMAS, schemaNames } from './named-schemas.ts'
import { HEADERS, headersOf } from './openapi-headers.ts'
import { codesByStatus, responsesOf } from './openapi-responses.ts'

export const API_VERSION = '1.0.0'

export interface OpenApiOptions {
  readonly endpoints: readonly Endpoint[]
  readonly references: Readonly<Record<string, OperationReference>>
  /** A body for each error code, as the service writes it. */
  readonly errorExamples: ReadonlyMap<string, unknown>
  /** The address that callers know, without a slash at the end. */
  readonly baseUrl: string
}

/** The API as an OpenAPI 3.1 document. Bare paths are listed; the second server stands for the same ones under /api. */
export function openApiDocument({ endpoints, references, errorExamples, baseUrl }: OpenApiOptions) {
  const groups = new Map(endpoints.map(({ path }) => [groupOf(path).id, groupOf(path)]))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Florin',
      version: API_VERSION,
      summary: 'A self-hostable payment service for the x402 protocol.',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    externalDocs: { description: 'The reference, to read', url: `${baseUrl}/docs` },
    servers: [
      { url: baseUrl, description: 'This installation' },
      { url: `${baseUrl}/api`, description: 'The same operations, under /api' },
    ],
    security: [{ apiKey: [] }],
    tags: [...groups.values()].map(({ title, says }) => ({ name: title, description: says })),
    paths: pathsOf(endpoints, references, baseUrl),
    components: {
      schemas: schemasOf(endpoints),
      headers: usedHeaders(endpoints),
      parameters: { IdempotencyKey: IDEMPOTENCY_KEY },
      examples: Object.fromEntries(
        usedCodes(endpoints).map((code) => [
          code,
          { summary: catalogue[code].says, value: errorExamples.get(code) ?? {} },
        ]),
      ),
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'florin_live_... or florin_test_...',
          description:
            'An API key. It has a plan and a set of scopes; each operation names the scope it needs.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-florin_session',
          description:
            'A session of the dashboard. Requests other than GET carry its X-CSRF-Token as well.',
        },
      },
    },
  }
}

const DESCRIPTION = [
  'Requests and answers are JSON. Request bodies are strict: an unknown field, or a key given twice, is refused by name.',
  'Every answer carries `success` and `timestamp`, but for those in the words of x402 and the events of a stream. All times are Unix milliseconds, except in `Retry-After`, the rate limit headers and fields of x402.',
  'Money goes in as a JSON number, which may have an exponent, or as decimal text, which may not, in whole units of the asset; it is read from its source text and never rounded. It comes out as a number and, exactly, as base units in text.',
  'Answers may grow new fields without a new version: ignore what you do not know.',
].join('\n\n')

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes repeating safe for 30 days: the same key with the same body answers for the same thing, with another body it is refused. A refused request does not use it up.',
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: limits.idempotencyKeyCharactersMax,
    pattern: '^[!-~]+$',
  },
  example: 'invoice-1001',
}

function pathsOf(
  endpoints: readonly Endpoint[],
  references: OpenApiOptions['references'],
  baseUrl: string,
) {
  const paths: Record<string, Record<string, object>> = {}
  const rules = bodyRules()
  for (const endpoint of endpoints) {
    const methods = (paths[endpoint.path] ??= {})
    methods[endpoint.method.toLowerCase()] = operationOf(
      endpoint,
      rules,
      references[endpoint.id],
      baseUrl,
    )
  }
  return paths
}

/** Who may ask: in an account a session may do what its role has the scope for. */
function security(needs: Endpoint['needs']) {
  if (needs === null) return { security: [] }
  if ('session' in needs) return { security: [{ session: [] }], 'x-session': needs.session }
  const { plan, roles, scope } = needs
  return {
    security: [{ apiKey: [scope] }, { session: [] }],
    'x-plan': plan,
    ...(roles === undefined ? {} : { 'x-roles': roles }),
  }
}

function operationOf(
  endpoint: Endpoint,
  rules: Rules,
  reference: OperationReference | undefined,
  baseUrl: string,
) {
  const { body, deprecated, id, idempotent, method, needs, params, path, query, summary } = endpoint
  const parameters = [
    ...parametersOf(params, 'path', reference?.params),
    ...parametersOf(query, 'query', reference?.query),
    ...(idempotent ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ]
  const example = exampleAnswer(endpoint, reference ?? { answer: {} })
  return {
    operationId: id,
    summary,
    description: (reference?.about ?? []).join('\n\n'),
    tags: [groupOf(path).title],
    ...(deprecated === undefined ? {} : { deprecated: true }),
    externalDocs: { url: `${baseUrl}/docs/operations/${id}` },
    ...security(needs),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(isAbsent(body)
      ? {}
      : {
          requestBody: {
            required: !(method === 'POST' && rules(body)({}, 'body').ok),
            content: {
              'application/json': {
                schema: { $ref: `#/components/schemas/${requestName(id)}` },
                ...(reference?.body === undefined ? {} : { example: reference.body }),
              },
            },
          },
        }),
    responses: responsesOf(endpoint, example, answerName(id)),
  }
}

function parametersOf(
  schema: object,
  place: 'path' | 'query',
  examples: Readonly<Record<string, string | number>> = {},
) {
  const { properties = {}, required = [] } = toJsonSchema(schema, { open: false })
  return Object.entries(properties).map(([name, { description, ...field }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: field,
    ...(examples[name] === undefined ? {} : { example: examples[name] }),
  }))
}

/** Codes that some operation answers, in the order of the catalogue. */
function usedCodes(endpoints: readonly Endpoint[]): readonly ErrorCode[] {
  const used = new Set(
    endpoints.flatMap((endpoint) => [...codesByStatus(endpoint).values()].flat()),
  )
  return ERROR_CODES.filter((code) => used.has(code))
}

function usedHeaders(endpoints: readonly Endpoint[]) {
  const used: ReadonlySet<string> = new Set(
    endpoints.flatMap((endpoint) =>
      [200, ...codesByStatus(endpoint).keys()].flatMap((status) => headersOf(endpoint, status)),
    ),
  )
  return Object.fromEntries(Object.entries(HEADERS).filter(([name]) => used.has(name)))
}

function schemasOf(endpoints: readonly Endpoint[]): Readonly<Record<string, JsonSchema>> {
  const nameOf = schemaNames()
  const schemas: Record<string, JsonSchema> = {}
  for (const [name, schema] of Object.entries(NAMED_SCHEMAS)) {
    schemas[name] = toJsonSchema(schema, { nameOf, open: true })
  }
  for (const endpoint of endpoints) {
    const { body, id } = endpoint
    if (!isAbsent(body)) schemas[requestName(id)] = toJsonSchema(body, { nameOf, open: false })
    schemas[answerName(id)] = toJsonSchema(published(endpoint), { nameOf, open: true })
  }
  return schemas
}

function requestName(id: string): string {
  return `${id.charAt(0).toUpperCase()}${id.slice(1)}Request`
}

function answerName(id: string): string {
  return `${id.charAt(0).toUpperCase()}${id.slice(1)}Answer`
}
