import type { Endpoint } from '@florin/wire/endpoint.ts'
import { published } from '@florin/wire/endpoint.ts'
import { endpoints } from '@florin/wire/endpoints.ts'
import { catalogue } from '@florin/wire/errors.ts'
import { NETWORK_ALIASES } from '@florin/wire/network-alias.ts'
import { format } from 'prettier'
import { documented, typeOf } from './sdk-types.ts'
import { exactFields, freeFields } from './sdk-fields.ts'

const HEAD = '// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.\n'
const STYLE = { parser: 'typescript', singleQuote: true, semi: false, printWidth: 100 } as const

/** What programs ask: with a key, or of nobody. Sessions are for browsers. */
const rows: readonly Endpoint[] = Object.values<Endpoint>(endpoints).filter(({ method, needs }) =>
  needs === null ? method === 'GET' : 'scope' in needs,
)
const kebab = (id: string) =>
  id.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `-${letter}`).toLowerCase()
const capital = (id: string) => `${id.slice(0, 1).toUpperCase()}${id.slice(1)}`
const partsOf = ({ path }: Endpoint) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
const has = (schema: object) => typeOf(schema, 'asked') !== '{\n\n}'
const hasBody = ({ body }: Endpoint) => !('absent' in body)

/** How a request may be sent again when nobody knows what became of it. */
function repeatOf({
  method,
  idempotent,
  foreignShape,
}: Endpoint): 'freely' | 'with its key' | 'never' {
  // Of x402 the proof itself says what is one and the same: a key costs a row, and nobody needs one who reads the answer.
  if (idempotent && foreignShape !== true) return 'with its key'
  return method === 'DELETE' ? 'never' : 'freely'
}

function typesOf(row: Endpoint): string {
  const name = capital(row.id)
  const call = `${row.method} ${row.path}`
  return [
    ...(has(row.query)
      ? [
          documented(`The query of ${call}.`),
          `export interface ${name}Query ${typeOf(row.query, 'asked')}\n`,
        ]
      : []),
    ...(hasBody(row)
      ? [
          documented(`The body of ${call}.`),
          `export interface ${name}Body ${typeOf(row.body, 'asked')}\n`,
        ]
      : []),
    documented(`${row.summary}: the answer of ${call}.`),
    `export interface ${name}Answer ${typeOf(published(row), 'told')}\n`,
  ].join('\n')
}

/** The names of a row's types, where it has them. */
function shapeOf(row: Endpoint) {
  const name = capital(row.id)
  return {
    query: has(row.query) ? `${name}Query` : undefined,
    body: hasBody(row) ? `${name}Body` : undefined,
    answer: `${name}Answer`,
  }
}

function shapesFile(): string {
  const names = rows.map((row) => {
    const types = Object.values(shapeOf(row)).filter((type) => type !== undefined)
    return `import type { ${types.join(', ')} } from './${kebab(row.id)}.ts'`
  })
  const asked = rows.map((row) => {
    const { query, body, answer } = shapeOf(row)
    const parts = partsOf(row).map((part) => `readonly ${part}: string`)
    return `readonly ${row.id}: {
      readonly parts: ${parts.length === 0 ? 'undefined' : `{ ${parts.join('; ')} }`}
      readonly query: ${query}
      readonly body: ${body}
      readonly answer: ${answer}
    }`
  })
  return [
    ...names,
    '\n/** What each operation takes and gives. */',
    `export interface Operations {\n${asked.join('\n')}\n}`,
  ].join('\n')
}

function tableFile(): string {
  const facts = rows.map((row) => {
    const { method, path, foreignShape } = row
    const required: unknown = Reflect.get(published(row), 'required') ?? []
    const repeat = repeatOf(row)
    const facts = { method, path, repeat, foreign: foreignShape === true, required }
    return `${row.id}: ${JSON.stringify(facts)},`
  })
  return [
    '/** How each operation is called, how it may be repeated, and which fields its answer always has. */',
    `export const operations = {\n${facts.join('\n')}\n} as const`,
  ].join('\n')
}

function fieldsFile(): string {
  return [
    '/** JSON numbers of an answer that count money: they are read as text, digit by digit. */',
    `export const EXACT_FIELDS: readonly string[] = ${JSON.stringify(exactFields(rows))}\n`,
    "/** What is in these is somebody else's: read as any JSON. */",
    `export const FREE_FIELDS: readonly string[] = ${JSON.stringify(freeFields(rows))}`,
  ].join('\n')
}

function codesFile(): string {
  const codes = Object.keys(catalogue).map((code) => `| '${code}'`)
  return `/** Codes that a service answers with; docs/errors has a page for each. */\nexport type ErrorCode = ${codes.join('\n')}`
}

function namesFile(): string {
  return [
    '/** Network names of x402 version 1 and the CAIP-2 ids that they mean. */',
    `export const NETWORK_NAMES: Readonly<Record<string, string>> = ${JSON.stringify(NETWORK_ALIASES)}`,
  ].join('\n')
}

/** The client's own copy of the contract, by file name: types, the table of operations, the error codes. */
export async function sdkContract(): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>([
    ...rows.map((row) => [`${kebab(row.id)}.ts`, typesOf(row)] as const),
    ['shapes.ts', shapesFile()],
    ['operations.ts', tableFile()],
    ['fields.ts', fieldsFile()],
    ['error-code.ts', codesFile()],
    ['network-names.ts', namesFile()],
  ])
  const written = new Map<string, string>()
  for (const [name, text] of files) written.set(name, await format(HEAD + text, STYLE))
  return written
}
