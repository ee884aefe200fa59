import type { TSchema } from 'typebox'
import { sourceShape } from '../http/source-shape.ts'
import type { SourceShape } from '../http/source-shape.ts'
import { fingerprint } from './fingerprint.ts'
import type { Fingerprint } from './fingerprint.ts'

const shapes = new WeakMap<TSchema, { readonly shape: SourceShape | undefined }>()

/**
 * The fingerprint of a body as its schema means it: money counts by its value, so that `0.001` and `0.0010` are one request. Everything else counts as
 * it was parsed.
 */
export function requestFingerprint(body: unknown, schema: TSchema): Fingerprint {
  const asSpelled = fingerprint(body)
  const shape = shapeOf(schema)
  if (shape === undefined) return asSpelled
  const byValue = fingerprint(withPlainMoney(body, shape))
  return { byValue, asSpelled }
}

/** A schema says the same for ever, and is asked with each request. */
function shapeOf(schema: TSchema): SourceShape | undefined {
  const known = shapes.get(schema)
  if (known !== undefined) return known.shape
  const shape = sourceShape(schema)
  shapes.set(schema, { shape })
  return shape
}

function withPlainMoney(value: unknown, shape: SourceShape): unknown {
  if (shape.kind === 'text') return typeof value === 'string' ? plain(value) : value
  if (shape.kind === 'array' && Array.isArray(value)) {
    return value.map((each) => withPlainMoney(each, shape.items))
  }
  if (shape.kind !== 'object' || typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      const inner = shape.fields.get(name)
      return [name, inner === undefined ? field : withPlainMoney(field, inner)]
    }),
  )
}

/** Digits behind the point that say nothing; the sign of a part of something stays. */
const IDLE = /^([0-9]+)(?:\.0*|(\.[0-9]*[1-9])0*)(%?)$/

/** Without zeros at the end of the fraction. */
function plain(text: string): string {
  return text.replace(IDLE, '$1$2$3')
}
