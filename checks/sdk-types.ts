import { isRecord } from './record.ts'
import type { UnknownRecord } from './record.ts'

const COLUMNS = 88

/** Text as a comment that the formatter leaves alone. */
export function documented(text: string): string {
  const lines: string[] = []
  for (const word of text.replaceAll('*/', '* /').split(/\s+/)) {
    const last = lines.at(-1)
    if (last !== undefined && `${last} ${word}`.length <= COLUMNS)
      lines[lines.length - 1] += ` ${word}`
    else lines.push(word)
  }
  return lines.length === 1
    ? `/** ${lines[0]} */`
    : `/**\n${lines.map((line) => ` * ${line}`).join('\n')}\n */`
}

/** Whether a type is for what a caller sends, or for what it is told: money may be sent as a number, and is told as text. */
export type Side = 'asked' | 'told'

/** A schema of the contract as a TypeScript type. Throws at a form that it does not know. */
export function typeOf(schema: unknown, side: Side): string {
  if (!isRecord(schema)) throw new Error('not a schema')
  if ('money' in schema) return 'string | number'
  if ('const' in schema) return JSON.stringify(schema['const'])
  const { enum: values, anyOf, type } = schema
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (Array.isArray(anyOf)) return anyOf.map((one) => typeOf(one, side)).join(' | ')
  switch (type) {
    case undefined:
      return 'unknown'
    case 'null':
    case 'string':
    case 'boolean':
      return type
    case 'integer':
      return 'number'
    case 'number':
      return 'string'
    case 'array':
      return `readonly (${typeOf(schema['items'], side)})[]`
    case 'object':
      return objectType(schema, side)
    default:
      throw new Error(`a schema of the type ${JSON.stringify(type)}`)
  }
}

function objectType(schema: UnknownRecord, side: Side): string {
  const { properties, patternProperties, required, additionalProperties } = schema
  if (isRecord(patternProperties)) {
    const [value] = Object.values(patternProperties)
    return `Readonly<Record<string, ${typeOf(value, side)}>>`
  }
  if (!isRecord(properties)) return 'Readonly<Record<string, unknown>>'
  const always = Array.isArray(required) ? required : []
  const fields = Object.entries(properties).map(([name, field]) => {
    const says =
      isRecord(field) && typeof field['description'] === 'string' ? field['description'] : ''
    const optional = !always.includes(name)
    const base = typeOf(field, side)
    const open = optional && side === 'asked' && base !== 'unknown'
    const type = open ? `${base} | undefined` : base
    return `${says === '' ? '' : `${documented(says)}\n`}readonly ${name}${optional ? '?' : ''}: ${type}`
  })
  if (additionalProperties === true) fields.push('readonly [field: string]: unknown')
  return `{\n${fields.join('\n')}\n}`
}
