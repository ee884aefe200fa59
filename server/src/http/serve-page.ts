import { createHash } from 'node:crypto'
import { limits } from '../kernel/limits.ts'
import type { Page } from './page.ts'

/** A page as it goes out; null bytes when the asker has it already. */
export interface ServedPage {
  readonly status: 200 | 304
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer | null
}

/** Only our own style sheet and script; no frame, no form, nobody else's server. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Answers for one page, by the values of If-None-Match. */
export function openPage(
  page: Page,
  baseUrl: () => string,
): (ifNoneMatch: readonly string[]) => Promise<ServedPage> {
  let written: Promise<{ bytes: Buffer; tag: string }> | undefined
  const write = async () => {
    const bytes = Buffer.from(await page.write(baseUrl()))
    return {
      bytes,
      tag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    }
  }
  return async (ifNoneMatch) => {
    written ??= write().catch((error: unknown) => {
      written = undefined
      throw error
    })
    const { bytes, tag } = await written
    const headers = {
      'content-type': page.contentType,
      'cache-control': `public, max-age=${limits.pageCacheSeconds}`,
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      etag: tag,
    }
    return hasTag(ifNoneMatch, tag)
      ? { status: 304, headers, bytes: null }
      : { status: 200, headers, bytes }
  }
}

/** Whether If-None-Match names the tag; a weak one counts as well. Source: RFC 9110, 13.1.2. */
function hasTag(values: readonly string[], tag: string): boolean {
  const tags = values.flatMap((value) => value.split(',')).map((each) => each.trim())
  return tags.some((each) => each === '*' || each.replace(/^W\//, '') === tag)
}
