/**
 * Fields as bytes that no other list of fields gives: u32be(length) || UTF-8 of each, and a field that is
 * null as the length 2^32 - 1. What a seal is bound to.
 */
export function boundFields(fields: readonly (string | null)[]): Uint8Array {
  const parts = fields.map((field) => (field === null ? null : new TextEncoder().encode(field)))
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + 4 + (part?.length ?? 0), 0))
  const view = new DataView(bytes.buffer)
  let at = 0
  for (const part of parts) {
    view.setUint32(at, part?.length ?? ABSENT)
    at += 4
    if (part) bytes.set(part, at)
    at += part?.length ?? 0
  }
  return bytes
}

const ABSENT = 0xffffffff
