import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { assertProblem, openTestServer } from '../http/test-server.ts'
import type { BuildState } from './not-built.ts'
import { openDashboardPages } from './pages.ts'

const PAGE = '<!doctype html><title>Florin</title>'
const SCRIPT = 'export const x = 1\n'.repeat(100)

let folder: string
let state: BuildState
let server: Awaited<ReturnType<typeof openTestServer>>

/** A build as dashboard/build makes it, there from one moment to the next. */
async function put(name: string, tag: string) {
  const draft = join(folder, `draft-${tag}`)
  await mkdir(join(draft, 'assets'), { recursive: true })
  await writeFile(join(draft, 'index.html'), `${PAGE}${tag}`)
  await writeFile(join(draft, 'assets', 'x-1.js'), SCRIPT)
  await writeFile(join(draft, 'assets', 'x-1.js.gz'), gzipSync(SCRIPT))
  await writeFile(join(draft, 'secret.txt'), 'not on the list')
  const files = {
    'index.html': { type: 'text/html; charset=utf-8', hashed: false, encodings: [] },
    'assets/x-1.js': { type: 'text/javascript; charset=utf-8', hashed: true, encodings: ['gzip'] },
  }
  await writeFile(join(draft, 'files.json'), JSON.stringify({ tag, files }))
  await rename(draft, join(folder, name))
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'florin-pages-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))
beforeEach(async () => {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
  state = 'building'
})

async function withServer(work: () => Promise<void>) {
  const files = openDashboardPages({
    directories: async () => [join(folder, 'first'), join(folder, 'second')],
    state: () => state,
  })
  server = await openTestServer({ files })
  try {
    await work()
  } finally {
    await server.close()
  }
}
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(server.url + path, { headers, redirect: 'manual' })

test('until there is a build the page says so and asks again by itself, and then it is there', () =>
  withServer(async () => {
    const early = await get('/dashboard')
    expect(early.status).toBe(503)
    expect(early.headers.get('content-security-policy')).toContain("default-src 'none'")
    const text = await early.text()
    expect(text).toMatch(/http-equiv="refresh"[^]*being built/)
    // A refresh of an address with a fragment, as the link has one that signs in, goes nowhere.
    const script = /<script>([^]*?)<\/script>/.exec(text)?.[1] ?? ''
    expect(script).toContain('location.reload()')
    const digest = createHash('sha256').update(script).digest('base64')
    expect(early.headers.get('content-security-policy')).toContain(`script-src 'sha256-${digest}'`)
    for (const other of ['failed', 'absent'] as const) {
      state = other
      expect(await (await get('/dashboard')).text()).not.toContain('refresh')
    }
    await put('second', 'b')
    expect(await (await get('/dashboard')).text()).toBe(`${PAGE}b`)
  }))

test('every path below is the page, with rules that allow nothing but its own files', () =>
  withServer(async () => {
    await put('first', 'a')
    for (const path of ['/dashboard', '/dashboard/', '/dashboard/payments/pay_1?x=1#y']) {
      const answer = await get(path)
      expect([answer.status, await answer.text()]).toEqual([200, `${PAGE}a`])
      expect(answer.headers.get('cache-control')).toBe('no-cache')
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
      const rules = answer.headers.get('content-security-policy') ?? ''
      expect(rules).toMatch(/^default-src 'self';.*frame-ancestors 'none'$/)
      expect(rules).not.toContain('unsafe')
    }
    expect((await get('/dashboard', { 'if-none-match': '"a"' })).status).toBe(304)
    expect((await get('/dashboard', { 'if-none-match': '"b"' })).status).toBe(200)
  }))

test('a file with a hash is kept for ever, compressed for who takes it, and nothing else is there', () =>
  withServer(async () => {
    await put('first', 'a')
    const plain = await get('/dashboard/assets/x-1.js', { 'accept-encoding': 'gzip;q=0, br' })
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(plain.headers.get('vary')).toBe('accept-encoding')
    const small = await get('/dashboard/assets/x-1.js', { 'accept-encoding': 'gzip' })
    expect(small.headers.get('content-encoding')).toBe('gzip')
    expect(small.headers.get('cache-control')).toContain('immutable')
    expect([await plain.text(), await small.text()]).toEqual([SCRIPT, SCRIPT])
    assertProblem(await server.ask('GET', '/dashboard/assets/x-2.js'), 'NOT_FOUND')
    for (const path of ['secret.txt', 'files.json', '..%2fsecond', 'assets/x-1.js.gz', '%00']) {
      const answer = await get(`/dashboard/${path}`)
      expect(await answer.text()).not.toMatch(/not on the list|encodings|export/)
    }
  }))

test('a build that is served stays, whole, when its folder is gone and another one is there', () =>
  withServer(async () => {
    await put('first', 'a')
    expect(await (await get('/dashboard')).text()).toBe(`${PAGE}a`)
    await rm(join(folder, 'first'), { recursive: true })
    expect(await (await get('/dashboard/keys')).text()).toBe(`${PAGE}a`)
    await put('second', 'b')
    expect(await (await get('/dashboard')).text()).toBe(`${PAGE}a`)
    expect(await (await get('/dashboard/assets/x-1.js')).text()).toBe(SCRIPT)
  }))

test.each(['x-1.js', 'x-1.js.gz'])('a folder that lacks %s of its list is no build', (name) =>
  withServer(async () => {
    await put('first', 'a')
    await rm(join(folder, 'first', 'assets', name))
    expect((await get('/dashboard')).status).toBe(503)
    await put('second', 'b')
    expect(await (await get('/dashboard')).text()).toBe(`${PAGE}b`)
  }),
)

test('browsers are led from the root and from a sign-in link to the page, programs hear 404', () =>
  withServer(async () => {
    const browser = await get('/', { accept: 'text/html,*/*' })
    expect([browser.status, browser.headers.get('location')]).toEqual([302, '/dashboard'])
    const link = await get('/signin')
    expect([link.status, link.headers.get('location')]).toEqual([302, '/dashboard/signin'])
    assertProblem(await server.ask('GET', '/', { headers: { accept: '*/*' } }), 'NOT_FOUND')
    assertProblem(await server.ask('POST', '/dashboard'), 'NOT_FOUND')
  }))
