import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { limits } from '../kernel/limits.ts'
import type { Page } from './page.ts'
import { route } from './route.ts'
import { assertProblem, openTestServer } from './test-server.ts'

const NO_KEY = { headers: { authorization: '' } }

describe('a page', () => {
  let written = 0
  let failing = false
  const page: Page = {
    path: '/docs/hello',
    contentType: 'text/html; charset=utf-8',
    write: async (baseUrl) => {
      if (failing) throw new Error('the disk is away')
      written += 1
      return `<p>hellö ${baseUrl}</p>`
    },
  }
  let server: Awaited<ReturnType<typeof openTestServer>>
  beforeAll(async () => {
    server = await openTestServer({ pages: [page] })
  })
  afterAll(() => server.close())
  const get = (path: string, init: RequestInit = {}) => fetch(server.url + path, init)

  test('that could not be written is asked for again', async () => {
    failing = true
    assertProblem(await server.ask('GET', '/docs/hello', NO_KEY), 'INTERNAL_ERROR')
    failing = false
    expect((await get('/docs/hello')).status).toBe(200)
  })

  test('is served without a key, bare and under /api, written once for all', async () => {
    for (const path of ['/docs/hello', '/api/docs/hello', '/docs/hello?x=1']) {
      const answer = await get(path)
      expect([answer.status, await answer.text()]).toEqual([200, `<p>hellö ${server.url}</p>`])
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(answer.headers.get('cache-control')).toBe(`public, max-age=${limits.pageCacheSeconds}`)
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(answer.headers.get('x-request-id')).toMatch(/^req_/)
      expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; /)
      expect(answer.headers.get('content-security-policy')).not.toContain('unsafe')
    }
    expect(written).toBe(1)
  })

  test('answers HEAD with the headers of GET and nothing else', async () => {
    const [head, full] = [await get('/docs/hello', { method: 'HEAD' }), await get('/docs/hello')]
    expect([head.status, await head.text()]).toEqual([200, ''])
    const bytes = (await full.arrayBuffer()).byteLength
    expect(head.headers.get('content-length')).toBe(String(bytes))
    expect(head.headers.get('etag')).toBe(full.headers.get('etag'))
  })

  test('is 304 for whoever has it, 200 for whoever has another', async () => {
    const tag = (await get('/docs/hello')).headers.get('etag') ?? ''
    expect(tag).toMatch(/^"[\w-]{22}"$/)
    for (const have of [tag, `W/${tag}`, `"old", ${tag}`, '*']) {
      const answer = await get('/docs/hello', { headers: { 'if-none-match': have } })
      expect([answer.status, await answer.text()]).toEqual([304, ''])
      expect(answer.headers.get('etag')).toBe(tag)
    }
    for (const have of ['"old"', tag.slice(0, -2), '']) {
      const answer = await get('/docs/hello', { headers: { 'if-none-match': have } })
      expect(answer.status).toBe(200)
    }
  })

  test('takes GET and HEAD only, and its neighbours are not there', async () => {
    for (const path of ['/docs/hello', '/api/docs/hello']) {
      const answered = await server.ask('POST', path, NO_KEY)
      assertProblem(answered, 'METHOD_NOT_ALLOWED')
      expect(answered.headers.get('allow')).toBe('GET, HEAD')
    }
    for (const path of ['/docs/hell', '/docs/hello/', '/docs/hello/x', '/docs/../docs/hello/.']) {
      assertProblem(await server.ask('GET', path, NO_KEY), 'NOT_FOUND')
    }
  })
})

describe('a deprecated operation', () => {
  const row = {
    ...endpoints.getWallet,
    deprecated: {
      sinceMilliseconds: Date.UTC(2026, 10, 1),
      sunsetMilliseconds: Date.UTC(2027, 1, 1),
      guide: '/docs/guides/wallets',
    },
  }

  test('says so in every answer, errors included, and nobody else does', async () => {
    const server = await openTestServer({
      publicUrl: 'https://pay.example/',
      routes: [
        route(row, () => Promise.reject(new Refusal('NOT_FOUND'))),
        route(endpoints.listWallets, async () => ({ body: { wallets: [] } })),
      ],
    })
    try {
      const answers = [
        await server.ask('GET', '/wallets/0xa'),
        await server.ask('GET', '/api/wallets/0xa'),
        await server.ask('GET', '/wallets/0xa', NO_KEY),
        await server.ask('GET', '/wallets/0xa?verbose=1'),
      ]
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 401, 400])
      for (const { headers } of answers) {
        expect(headers.get('deprecation')).toBe('@1793491200')
        expect(headers.get('sunset')).toBe('Mon, 01 Feb 2027 00:00:00 GMT')
        expect(headers.get('link')).toBe(
          '<https://pay.example/docs/guides/wallets>; rel="deprecation"; type="text/html"',
        )
      }
      for (const path of ['/wallets', '/nothing', '/health/live']) {
        const { headers } = await server.ask('GET', path)
        expect(['deprecation', 'sunset', 'link'].map((name) => headers.get(name))).toEqual([
          null,
          null,
          null,
        ])
      }
    } finally {
      await server.close()
    }
  })
})
