import { createHash } from 'node:crypto'

/**
 * What tells the content of a request from that of another, 32 bytes: `byValue` is stored. Versions before kept what `asSpelled` says, where money
 * was compared by its spelling; the keys that they stored hold it.
 */
export type Fingerprint =
  Uint8Array | { readonly byValue: Uint8Array; readonly asSpelled: Uint8Array }

/** What is stored of it. */
export function storedFingerprint(given: Fingerprint): Uint8Array {
  return given instanceof Uint8Array ? given : given.byValue
}

/** Whether a stored one is of the same content. */
export function isOf(given: Fingerprint, stored: Buffer): boolean {
  if (given instanceof Uint8Array) return stored.equals(given)
  return stored.equals(given.byValue) || stored.equals(given.asSpelled)
}

/** SHA-256 over a parsed body in one canonical spelling: the order of keys and the white space do not count. */
export function fingerprint(body: unknown): Uint8Array {
  return new Uint8Array(createHash('sha256').update(canonical(body)).digest())
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value !== null && typeof value === 'object') {
    const fields = Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .sort(([one], [other]) => (one < other ? -1 : 1))
    return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`
  }
  return JSON.stringify(value) ?? 'null'
}
