import { RawJson } from '@florin/wire/raw-json.ts'

const PLAIN_NAME = /^\w+$/

/** A value as JSON text, like JSON.stringify, with every RawJson written as it stands. */
export function writeJson(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value !== 'object') return JSON.stringify(value)
  if (value instanceof RawJson) return value.text
  if (Array.isArray(value)) return `[${value.map((item) => writeJson(item ?? null)).join(',')}]`
  if ('toJSON' in value) return JSON.stringify(value)
  let text = ''
  for (const [key, field] of Object.entries(value)) {
    if (field === undefined) continue
    text += `${text === '' ? '' : ','}${writeName(key)}:${writeJson(field)}`
  }
  return `{${text}}`
}

function writeName(key: string): string {
  return PLAIN_NAME.test(key) ? `"${key}"` : JSON.stringify(key)
}
