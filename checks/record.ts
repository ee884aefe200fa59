export type UnknownRecord = Readonly<Record<string, unknown>>

/** Whether a parsed JSON value is an object with keys. */
export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
