import { createHash } from 'node:crypto'

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
