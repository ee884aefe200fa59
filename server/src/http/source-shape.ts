import type { TSchema } from 'typebox'

/**
 * Which fields of a body keep their source text: `text` becomes its text instead of a value (money, an exponent carried out), `kept` is read and
 * its text is kept beside it. Undefined: nothing in here does.
 */
export type SourceShape =
  | { readonly kind: 'text' }
  | { readonly kind: 'kept'; readonly bytesMax: number }
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, SourceShape> }
  | { readonly kind: 'array'; readonly items: SourceShape }

/** Reads the shape from a schema: the keywords `money` and `keptBytesMax`, wherever they stand. */
export function sourceShape(schema: TSchema): SourceShape | undefined {
  if ('money' in schema) return { kind: 'text' }
  if ('keptBytesMax' in schema && typeof schema.keptBytesMax === 'number') {
    return { kind: 'kept', bytesMax: schema.keptBytesMax }
  }
  if ('items' in schema && isSchema(schema.items)) {
    const items = sourceShape(schema.items)
    return items && { kind: 'array', items }
  }
  if ('properties' in schema && isSchema(schema.properties)) {
    const fields = new Map<string, SourceShape>()
    for (const [name, field] of Object.entries(schema.properties)) {
      const shape = isSchema(field) ? sourceShape(field) : undefined
      if (shape) fields.set(name, shape)
    }
    return fields.size === 0 ? undefined : { kind: 'object', fields }
  }
  return undefined
}

function isSchema(value: unknown): value is TSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
