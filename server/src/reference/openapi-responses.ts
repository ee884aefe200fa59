import { commonCodes } from '@florin/wire/common-codes.ts'
import type { Endpoint } from '@florin/wire/endpoint.ts'
import { catalogue } from '@florin/wire/errors.ts'
import type { ErrorCode } from '@florin/wire/errors.ts'
import { headersOf } from './openapi-headers.ts'

/** Every code that an operation may answer, by HTTP status, each once. */
export function codesByStatus(endpoint: Endpoint): ReadonlyMap<number, readonly ErrorCode[]> {
  const codes = new Set([...endpoint.fails, ...commonCodes(endpoint)])
  const order = (code: ErrorCode) => catalogue[code].status
  const sorted = [...codes].sort((a, b) => order(a) - order(b))
  return Map.groupBy(sorted, order)
}

/**
 * The responses of an operation: its answer, and each error status with its codes. Of a stream the schema is that of the data of each block: OpenAPI
 * 3.1 has no word for more.
 */
export function responsesOf(
  endpoint: Endpoint,
  example: object,
  answerName: string,
): Readonly<Record<string, object>> {
  const responses: Record<string, object> = {
    '200': {
      description: endpoint.summary,
      headers: headerReferences(endpoint, 200),
      content: {
        [endpoint.stream ? 'text/event-stream' : 'application/json']: {
          schema: { $ref: `#/components/schemas/${answerName}` },
          example,
        },
      },
    },
  }
  for (const [status, codes] of codesByStatus(endpoint)) {
    responses[status] = {
      description: codes.map((code) => `\`${code}\`: ${catalogue[code].says}`).join('\n\n'),
      headers: headerReferences(endpoint, status),
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Error' },
          examples: Object.fromEntries(
            codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
          ),
        },
      },
      'x-error-codes': codes,
    }
  }
  return responses
}

function headerReferences(endpoint: Endpoint, status: number) {
  return Object.fromEntries(
    headersOf(endpoint, status).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  )
}
