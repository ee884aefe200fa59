import type { Endpoint } from '@florin/wire/endpoint.ts'

/** Both spellings of an operation's path: bare and under /api. */
export function spellings(path: string): readonly string[] {
  return [path, `/api${path}`]
}

/** Makes the look-up from a requested path to the methods that it takes; none when there is no such path. */
export function methodsByPath(
  endpoints: readonly Pick<Endpoint, 'method' | 'path' | 'stream'>[],
): (path: string) => readonly string[] {
  const known = endpoints.flatMap(({ method, path, stream }) =>
    spellings(path).map((spelling) => ({
      // What has no end has no head either.
      methods: method === 'GET' && !stream ? ['GET', 'HEAD'] : [method],
      parts: spelling.split('/'),
    })),
  )
  return (path) => {
    const parts = path.split('/')
    const methods = known.flatMap((row) => (matches(row.parts, parts) ? row.methods : []))
    return [...new Set(methods)].sort()
  }
}

function matches(pattern: readonly string[], parts: readonly string[]): boolean {
  return (
    pattern.length === parts.length &&
    pattern.every((part, index) => part === parts[index] || (part.startsWith('{') && parts[index]))
  )
}
