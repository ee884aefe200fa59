import type { Deprecation } from '@florin/wire/deprecation.ts'

/** What every answer of a deprecated operation carries. Sources: RFC 9745, RFC 8594. */
export function deprecationHeaders(
  { sinceMilliseconds, sunsetMilliseconds, guide }: Deprecation,
  baseUrl: string,
): Readonly<Record<string, string>> {
  return {
    deprecation: `@${Math.floor(sinceMilliseconds / 1000)}`,
    sunset: new Date(sunsetMilliseconds).toUTCString(),
    link: `<${baseUrl}${guide}>; rel="deprecation"; type="text/html"`,
  }
}
