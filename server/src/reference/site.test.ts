import { beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '@florin/wire/endpoints.ts'
import type { Endpoint } from '@florin/wire/endpoint.ts'
import { catalogue } from '@florin/wire/errors.ts'
import { operationReferences } from '@florin/wire/reference/operations.ts'
import type { Page } from '../http/page.ts'
import { assertProblem, openTestServer } from '../http/test-server.ts'
import { DOCUMENTS_DIRECTORY, readDocuments } from './document-library.ts'
import { openSite } from './site.ts'

const BASE = 'https://pay.example'
const rows: readonly Endpoint[] = Object.values(endpoints)
let pages: readonly Page[]
/** What each page says, by its path. */
let texts: ReadonlyMap<string, string>

const open = async (options: Partial<Parameters<typeof openSite>[0]> = {}) =>
  openSite({
    endpoints: rows,
    references: operationReferences,
    documents: await readDocuments(DOCUMENTS_DIRECTORY),
    ...options,
  })
const written = async (site: readonly Page[]) =>
  new Map(await Promise.all(site.map(async (page) => [page.path, await page.write(BASE)] as const)))
const html = () => pages.filter(({ contentType }) => contentType.startsWith('text/html'))

beforeAll(async () => {
  pages = await open()
  texts = await written(pages)
})

describe('the site', () => {
  test('has a page for every operation and every error code, each once', () => {
    const paths = pages.map(({ path }) => path)
    for (const { id } of rows) expect(paths).toContain(`/docs/operations/${id}`)
    for (const code of Object.keys(catalogue)) expect(paths).toContain(`/docs/errors/${code}`)
    for (const path of ['/docs', '/docs/errors', '/openapi.json']) expect(paths).toContain(path)
    expect(new Set(paths).size).toBe(paths.length)
  })

  test('has no link that leads nowhere, bare or under /api', () => {
    for (const { path } of html()) {
      for (const prefix of ['', '/api', '/behind/a/proxy']) {
        for (const [, href = ''] of (texts.get(path) ?? '').matchAll(/ (?:href|src)="([^"]*)"/g)) {
          const { origin, pathname, hash } = new URL(href, `${BASE}${prefix}${path}`)
          if (origin !== BASE) continue
          const place = pathname.slice(prefix.length)
          expect(pathname.startsWith(prefix) && texts.has(place), `${path}: ${href}`).toBe(true)
          const target = texts.get(place) ?? ''
          if (hash !== '') expect(target, `${path}: ${href}`).toContain(`id="${hash.slice(1)}"`)
        }
      }
    }
  })

  test('takes style and script from itself alone, and has none in the page', () => {
    for (const { path } of html()) {
      const text = texts.get(path) ?? ''
      expect(text, path).not.toMatch(/ style=| on[a-z]+=|<style|@import|javascript:/)
      expect([...text.matchAll(/<script/g)]).toHaveLength(1)
      for (const [tag] of text.matchAll(/<(?:link|script|img|iframe|object)[^>]*>/g)) {
        expect(tag, path).not.toMatch(/="(?:https?:)?\/\//)
      }
    }
    expect(texts.get('/docs/style.css')).not.toMatch(/url\(|@import|http/)
    expect(texts.get('/docs/copy.js')).not.toMatch(/fetch|http|import|innerHTML/)
  })

  test('has one heading of level 1, a title and a description on every page', () => {
    const titles = html().map(({ path }) => {
      const text = texts.get(path) ?? ''
      expect([...text.matchAll(/<h1/g)], path).toHaveLength(1)
      expect(text).toMatch(/<meta name="description" content="[^"]{10,}">/)
      return /<title>([^<]+)<\/title>/.exec(text)?.[1]
    })
    expect(new Set(titles).size).toBe(titles.length)
  })

  test('shows each operation with its fields, its errors and a command for the address of this installation', () => {
    const text = texts.get('/docs/operations/sendPayment') ?? ''
    for (const field of Object.keys(endpoints.sendPayment.body.properties)) {
      expect(text).toContain(`<code class="name">${field}</code>`)
    }
    for (const code of endpoints.sendPayment.fails) expect(text).toContain(`errors/${code}"`)
    expect(text).toContain(`${BASE}/payment/send`)
    expect(text).toContain('0.001 to 100')
    expect(text).toContain('safe with an')
    expect(texts.get('/docs/operations/healthLive')).not.toContain('FLORIN_API_KEY')
  })

  test('shows on the page of a code what to do, and who answers with it', () => {
    const text = texts.get('/docs/errors/POLICY_REFUSED') ?? ''
    expect(text).toContain('What to do')
    const list = text.slice(text.indexOf('Operations that answer with it'))
    expect(list).toContain('operations/sendPayment"')
    expect(list).not.toContain('operations/listWallets"')
  })

  test('marks a deprecated operation, with its last day and its guide', async () => {
    const row: Endpoint = {
      ...endpoints.getWallet,
      deprecated: {
        sinceMilliseconds: 0,
        sunsetMilliseconds: Date.UTC(2027, 1, 1),
        guide: '/docs/errors',
      },
    }
    const site = await written(await open({ endpoints: [row] }))
    expect(site.get('/docs/operations/getWallet')).toMatch(/Deprecated.*2027-02-01.*errors"/s)
  })

  test('has a page for every code even where no document can be read', async () => {
    const site = await written(await open({ documents: await readDocuments('/nowhere') }))
    for (const [code, { status }] of Object.entries(catalogue)) {
      expect(site.get(`/docs/errors/${code}`)).toContain(`HTTP ${status}.`)
    }
  })
})

test('what an error body names as its page is there', async () => {
  const server = await openTestServer({ pages })
  try {
    const answered = await server.ask('GET', '/nothing')
    assertProblem(answered, 'NOT_FOUND')
    const { error } = answered.body as { error: { docs: string } }
    const page = await fetch(error.docs)
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ])
    expect(await page.text()).toContain('NOT_FOUND')
    const document = await (await fetch(`${server.url}/api/openapi.json`)).json()
    expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url: server.url }, {}] })
  } finally {
    await server.close()
  }
})
