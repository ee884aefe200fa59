import { Refusal } from '@florin/wire/errors.ts'
import type { FileRequest, FileTree, ServedFile } from '../http/file-tree.ts'
import { readBuiltFiles } from './built-files.ts'
import type { BuiltFile, BuiltFiles } from './built-files.ts'
import { notBuiltPage } from './not-built.ts'
import type { BuildState } from './not-built.ts'

/** Where the dashboard's build is looked for. */
export interface DashboardSource {
  /** Folders that may hold a build, the preferred one first. Asked until one does. */
  directories(): Promise<readonly string[]>
  /** What to say while none does. */
  state(): BuildState
}

const HOME = '/dashboard'
const SIGN_IN = '/dashboard/signin'
const ASSETS = '/dashboard/assets/'

/** Scripts, styles and connections of our own only; no inline code, no frame around it, nobody else's server. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE_HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
}

/**
 * The dashboard's files. The first build that is found is held in memory and served to the end: another one beside it, or its folder
 * taken away, never makes a mix of two, nor a page without its code. Every path below /dashboard that is no file is the page itself: which
 * of its pages is meant is decided in the browser.
 */
export function openDashboardPages(source: DashboardSource): FileTree {
  let built: BuiltFiles | undefined
  let looking: Promise<BuiltFiles | undefined> | undefined
  const look = async () => {
    for (const directory of await source.directories()) {
      built ??= await readBuiltFiles(directory)
    }
    return built
  }
  /** Who asks at once looks together. */
  const find = async () =>
    built ??
    (await (looking ??= look().finally(() => {
      looking = undefined
    })))
  return {
    paths: ['/', '/signin', HOME, `${HOME}/*`],
    read: async (request) => {
      const redirect = redirectOf(request)
      if (redirect !== undefined) return redirect
      const found = await find()
      return found === undefined ? notBuiltPage(source.state()) : serveFrom(found, request)
    },
  }
}

function serveFrom(built: BuiltFiles, request: FileRequest): ServedFile {
  const file = built.files.get(nameOf(request.path))
  if (file !== undefined) return serve(built.tag, file, request)
  const page = built.files.get('index.html')
  if (request.path.startsWith(ASSETS) || page === undefined) throw new Refusal('NOT_FOUND')
  return serve(built.tag, page, request)
}

/** A browser keeps the fragment of the address, and with it a one-time link, over a redirect. */
function redirectOf({ path, accept }: FileRequest): ServedFile | undefined {
  const to = (location: string): ServedFile => ({
    status: 302,
    headers: { location, vary: 'accept', 'content-type': 'text/plain; charset=utf-8' },
    bytes: Buffer.alloc(0),
  })
  if (path === '/signin') return to(SIGN_IN)
  if (path !== '/') return undefined
  // Programs that ask for the root of the API hear that there is nothing.
  if (!accept.some((value) => value.includes('text/html'))) throw new Refusal('NOT_FOUND')
  return to(HOME)
}

const nameOf = (path: string) => path.slice(HOME.length + 1)

function serve(
  tag: string,
  { type, hashed, plain, ...compressed }: BuiltFile,
  { acceptEncoding, ifNoneMatch }: FileRequest,
): ServedFile {
  const etag = `"${tag}"`
  const headers = {
    ...PAGE_HEADERS,
    'content-type': type,
    'cache-control': hashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
    etag,
  }
  if (ifNoneMatch.some((value) => value.includes(etag))) {
    return { status: 304, headers, bytes: null }
  }
  for (const encoding of ENCODINGS) {
    const bytes = compressed[encoding]
    if (bytes === undefined || !takes(acceptEncoding, encoding)) continue
    return { status: 200, headers: { ...headers, 'content-encoding': encoding }, bytes }
  }
  return { status: 200, headers, bytes: plain }
}

/** The smallest first. */
const ENCODINGS = ['br', 'gzip'] as const

/** Whether Accept-Encoding names it, and not in order to forbid it. Source: RFC 9110, 12.5.3. */
function takes(values: readonly string[], encoding: string): boolean {
  return values
    .flatMap((value) => value.toLowerCase().split(','))
    .map((each) => each.trim().split(/\s*;\s*q=/))
    .some(([name, weight = '1']) => name === encoding && Number(weight) > 0)
}
