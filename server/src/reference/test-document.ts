import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ValidateFunction } from 'ajv'
import type { JsonSchema } from './json-schema.ts'

interface Media {
  readonly schema: JsonSchema
  readonly example?: unknown
}

interface Content {
  readonly 'application/json': Media
  /** Of a stream, in the other's place. */
  readonly 'text/event-stream'?: Media
}

export interface DocumentParameter {
  readonly $ref?: string
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: JsonSchema
  readonly example?: unknown
}

export interface DocumentOperation {
  readonly operationId: string
  readonly deprecated?: boolean
  readonly security: readonly object[]
  readonly parameters?: readonly DocumentParameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, DocumentResponse>>
}

export interface DocumentResponse {
  readonly headers: Readonly<Record<string, { readonly $ref: string }>>
  readonly content: Content
  readonly 'x-error-codes'?: readonly string[]
}

/** The OpenAPI document as tests read it back. */
export interface TestDocument {
  readonly info: { readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly headers: Readonly<
      Record<string, { readonly required?: boolean; readonly schema: JsonSchema }>
    >
    readonly parameters: Readonly<Record<string, object>>
    readonly examples: Readonly<
      Record<string, { readonly value: { readonly error: { readonly code: string } } }>
    >
  }
}

/** The operation of a row; throws when the document has none. */
export function operationOf(
  { paths }: TestDocument,
  { method, path }: { readonly method: string; readonly path: string },
): DocumentOperation {
  const operation = paths[path]?.[method.toLowerCase()]
  if (operation === undefined) throw new Error(`no ${method} ${path} in the document`)
  return operation
}

/** Compiles schemas that refer to a document's components, strictly: an unknown keyword throws. */
export function documentSchemas(document: TestDocument): (schema: object) => ValidateFunction {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true })
  ajv.addVocabulary(['components', 'x-bytes-max'])
  ajv.addFormat('uri', (value: string) => URL.canParse(value))
  const { schemas } = document.components
  return (schema) => ajv.compile({ components: { schemas }, ...schema })
}
