/** The address of a call: `{name}` in the path and the query filled in, with everything escaped. */
export function requestUrl(
  baseUrl: string,
  path: string,
  {
    parts = {},
    query = {},
  }: { parts?: Readonly<Record<string, string>> | undefined; query?: object | undefined },
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => segment(parts[name] ?? ''))
  const values: readonly (readonly [string, unknown])[] = Object.entries(query)
  const asked = values
    .flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number'
        ? [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`]
        : [],
    )
    .join('&')
  return `${baseUrl}${filled}${asked === '' ? '' : `?${asked}`}`
}

/** `.` and `..` would climb out of the path, and an empty one would name another operation. */
function segment(value: string): string {
  const text = encodeURIComponent(value)
  return /^\.{0,2}$/.test(text) ? `%20${text}` : text
}
