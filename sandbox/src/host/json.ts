export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

/** Reads JSON text; undefined when it is none. */
export function parseJson(text: string): Json | undefined {
  try {
    // The one place where JSON.parse's `any` gets its type.
    const value: Json = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
