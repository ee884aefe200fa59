import Type from 'typebox'
import { Exactly } from '@florin/wire/fields.ts'

// The part of OpenAPI 3.1.0 that the document uses, closed: a misspelt field is found. Source: OpenAPI 3.1.0, section 4.8.

const text = Type.String({ minLength: 1 })
const optional = Type.Optional
const map = <S extends Type.TSchema>(schema: S) => Type.Record(Type.String(), schema)
/** Names of components. */
const named = (schema: Type.TSchema) =>
  Type.Object({}, { additionalProperties: schema, propertyNames: { pattern: '^[a-zA-Z0-9._-]+$' } })

const Reference = Exactly({ $ref: Type.String({ pattern: '^#/components/' }) })
/** Checked by compiling it. */
const Schema = Type.Object({})
const Example = Exactly({ summary: optional(text), value: Type.Unknown() })
const Media = Exactly({
  schema: Schema,
  example: optional(Type.Unknown()),
  examples: optional(map(Type.Union([Reference, Example]))),
})
const Content = Type.Union([
  Exactly({ 'application/json': Media }),
  Exactly({ 'text/event-stream': Media }),
])
const Header = Exactly({
  description: text,
  required: optional(Type.Boolean()),
  schema: Schema,
})
const Parameter = Exactly({
  name: text,
  in: Type.Enum(['path', 'query', 'header']),
  required: Type.Boolean(),
  description: optional(text),
  schema: Schema,
  example: optional(Type.Unknown()),
})
const Documentation = Exactly({
  url: Type.String({ pattern: '^http' }),
  description: optional(text),
})
const Response = Exactly({
  description: text,
  headers: map(Reference),
  content: Content,
  'x-error-codes': optional(Type.Array(text, { minItems: 1 })),
})
const Operation = Exactly({
  operationId: Type.String({ pattern: '^[a-zA-Z][a-zA-Z0-9]*$' }),
  summary: text,
  description: text,
  tags: Type.Array(text, { minItems: 1, maxItems: 1 }),
  deprecated: optional(Type.Literal(true)),
  externalDocs: Documentation,
  security: Type.Array(map(Type.Array(text))),
  'x-plan': optional(text),
  'x-session': optional(text),
  'x-roles': optional(Type.Array(text)),
  parameters: optional(Type.Array(Type.Union([Reference, Parameter]))),
  requestBody: optional(Exactly({ required: Type.Boolean(), content: Content })),
  responses: Type.Object(
    { '200': Response },
    { patternProperties: { '^[45][0-9]{2}$': Response }, additionalProperties: false },
  ),
})
const PathItem = Exactly({
  get: optional(Operation),
  put: optional(Operation),
  post: optional(Operation),
  patch: optional(Operation),
  delete: optional(Operation),
})

export const OpenApiShape = Exactly({
  openapi: Type.Literal('3.1.0'),
  info: Exactly({
    title: text,
    version: Type.String({ pattern: '^\\d+\\.\\d+\\.\\d+$' }),
    summary: text,
    description: text,
    license: Exactly({ name: text, identifier: text }),
  }),
  externalDocs: Documentation,
  servers: Type.Array(
    Exactly({ url: Type.String({ pattern: '^http.*[^/]$' }), description: text }),
  ),
  security: Type.Array(map(Type.Array(text))),
  tags: Type.Array(Exactly({ name: text, description: text })),
  paths: Type.Object({}, { patternProperties: { '^/': PathItem }, additionalProperties: false }),
  components: Exactly({
    schemas: named(Schema),
    headers: named(Header),
    parameters: named(Parameter),
    examples: named(Example),
    securitySchemes: named(
      Type.Union([
        Exactly({ type: text, scheme: text, bearerFormat: text, description: text }),
        Exactly({ type: text, in: text, name: text, description: text }),
      ]),
    ),
  }),
})
