import { RawJson } from '@florin/wire/raw-json.ts'

/** A value as JSON text, like JSON.stringify, with every RawJson written as it stands. */
export function writeJson(value: unknown): string {
  if (value instanceof RawJson) return value.text
  if (Array.isArray(value)) return `[${value.map((item) => writeJson(item ?? null)).join(',')}]`
  if (typeof value === 'object' && value !== null && !('toJSON' in value)) {
    let text = ''
    for (const [key, field] of Object.entries(value)) {
      if (field === undefined) continue
      text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${writeJson(field)}`
    }
    return `{${text}}`
  }
  return JSON.stringify(value)
}
