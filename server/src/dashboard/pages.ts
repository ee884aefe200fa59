import { Refusal } from '@florin/wire/errors.ts'
import type { FileRequest, FileTree, ServedFile } from '../http/file-tree.ts'
import { openBuiltFiles, readBuiltFile } from './built-files.ts'
import type { BuiltFile, BuiltFiles } from './built-files.ts'
import { notBuiltPage } from './not-built.ts'
import type { BuildState } from './not-built.ts'

/** Where the dashboard's build is looked for. */
export interface DashboardSource {
  /** Folders that may hold the build of these very sources, the preferred one first. Asked until one does. */
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
 * The dashboard's files, read from its build as they are asked for. Every path below /dashboard that is no file is the
 * page itself: which of its pages is meant is decided in the browser.
 */
export function openDashboardPages(source: DashboardSource): FileTree {
  let built: BuiltFiles | undefined
  const find = async () => {
    if (built !== undefined) return built
    for (const directory of await source.directories()) {
      built ??= await openBuiltFiles(directory)
    }
    return built
  }
  const readFrom = async (files: BuiltFiles, request: FileRequest): Promise<ServedFile> => {
    const name = nameOf(request.path)
    const file = files.files.get(name)
    if (file !== undefined) return await serve(files, name, file, request)
    if (request.path.startsWith(ASSETS)) throw new Refusal('NOT_FOUND')
    const page = files.files.get('index.html')
    if (page === undefined) throw new Refusal('NOT_FOUND')
    return await serve(files, 'index.html', page, request)
  }
  return {
    paths: ['/', '/signin', HOME, `${HOME}/*`],
    read: async (request) => {
      const redirect = redirectOf(request)
      if (redirect !== undefined) return redirect
      const files = await find()
      if (files === undefined) return notBuiltPage(source.state())
      try {
        return await readFrom(files, request)
      } catch (error) {
        if (error instanceof Refusal) throw error
        // Taken away under us, by a newer build: look again.
        built = undefined
        const again = await find()
        return again === undefined ? notBuiltPage(source.state()) : await readFrom(again, request)
      }
    },
  }
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

async function serve(
  files: BuiltFiles,
  name: string,
  file: BuiltFile,
  { acceptEncoding, ifNoneMatch }: FileRequest,
): Promise<ServedFile> {
  const etag = `"${files.tag}"`
  const headers = {
    ...PAGE_HEADERS,
    'content-type': file.type,
    'cache-control': file.hashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
    etag,
  }
  if (ifNoneMatch.some((value) => value.includes(etag))) {
    return { status: 304, headers, bytes: null }
  }
  const encoding = file.encodings.find((each) => takes(acceptEncoding, each))
  const bytes = await readBuiltFile(files, name, encoding)
  return {
    status: 200,
    headers: { ...headers, ...(encoding === undefined ? {} : { 'content-encoding': encoding }) },
    bytes,
  }
}

/** Whether Accept-Encoding names it, and not in order to forbid it. Source: RFC 9110, 12.5.3. */
function takes(values: readonly string[], encoding: string): boolean {
  return values
    .flatMap((value) => value.toLowerCase().split(','))
    .map((each) => each.trim().split(/\s*;\s*q=/))
    .some(([name, weight = '1']) => name === encoding && Number(weight) > 0)
}
