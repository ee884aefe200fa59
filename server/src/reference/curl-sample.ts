import type { Endpoint } from '@florin/wire/endpoint.ts'
import type { OperationReference } from '@florin/wire/reference/operation-reference.ts'

/** A command that can be pasted into a shell. The key comes from the environment, so that it is in no history. */
export function curlSample(
  { id, idempotent, method, needs, path }: Endpoint,
  { body, params = {}, query = {} }: OperationReference,
  baseUrl: string,
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (part, name: string) =>
    encodeURIComponent(params[name] ?? part),
  )
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, String(value)]),
  )
  const address = `${baseUrl}${filled}${search.size === 0 ? '' : `?${search}`}`
  const parts = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(address)}`,
    ...(needs === null ? [] : ['-H "Authorization: Bearer $FLORIN_API_KEY"']),
    ...(idempotent ? [`-H 'Idempotency-Key: ${EXAMPLE_KEYS[id] ?? `${id}-1001`}'`] : []),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body, null, 2))}`]),
  ]
  return parts.join(' \\\n  ')
}

const EXAMPLE_KEYS: Readonly<Record<string, string>> = { sendPayment: 'invoice-1001' }

/** One word of a POSIX shell, whatever it holds. */
function quoted(text: string): string {
  return /^[\w/:.@=,{}-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
