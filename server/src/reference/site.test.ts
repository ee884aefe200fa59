import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { posix } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { describedOperations } from '@florin/wire/described-operations.ts'
import { endpoints } from '@florin/wire/endpoints.ts'
import type { Endpoint } from '@florin/wire/endpoint.ts'
import { catalogue } from '@florin/wire/errors.ts'
import { operationReferences } from '@florin/wire/reference/operations.ts'
import type { Page } from '../http/page.ts'
import { assertProblem, openTestServer } from '../http/test-server.ts'
import { DOCUMENTS_DIRECTORY, readDocuments } from './document-library.ts'
import { openSite } from './site.ts'

const BASE = 'https://pay.example'
const rows: readonly Endpoint[] = describedOperations
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
/** Files of the folders of docs/ that are served, as their page's path below /docs, with what they say. */
const documents = ['concepts', 'errors', 'guides', 'operating'].flatMap((folder) =>
  readdirSync(`${DOCUMENTS_DIRECTORY}/${folder}`).map((name) => ({
    folder,
    path: `${folder}/${name.replace(/\.md$/, '')}`,
    source: readFileSync(`${DOCUMENTS_DIRECTORY}/${folder}/${name}`, 'utf8'),
  })),
)
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

  test('has a page for every guide, every concept, and everything about operating', () => {
    for (const { path } of documents) expect(texts.get(`/docs/${path}`), path).toContain('<h1')
    expect([...texts.keys()].filter((path) => path.includes('decisions'))).toEqual([])
  })

  test('lists guides, concepts and operating on its first page, each under a heading of its own', () => {
    const [, ...parts] = (texts.get('/docs') ?? '').split(/<h2 id="/)
    for (const folder of ['guides', 'concepts', 'operating']) {
      const part = parts.find((text) => text.startsWith(`${folder}"`)) ?? ''
      const listed = [...part.matchAll(/href="\.\/docs\/([^"]+)"/g)].map(([, path]) => path).sort()
      expect(listed).toEqual(
        documents.filter((each) => each.folder === folder).map(({ path }) => path),
      )
    }
  })

  test('begins what is read by an operator with how production is set up', () => {
    const text = texts.get('/docs') ?? ''
    const operating = text.slice(text.indexOf('<h2 id="operating"'))
    expect(/operating\/(\w+)"/.exec(operating)?.[1]).toBe('production')
  })

  test('names on its first page the descriptions for tools', () => {
    const text = texts.get('/docs') ?? ''
    for (const name of ['openapi.json', 'asyncapi.json']) {
      expect(text).toContain(`<a href="./${name}"><code>/${name}</code></a>`)
      expect(texts.has(`/${name}`)).toBe(true)
    }
  })

  test('links what its documents link, wherever that is served', () => {
    const served = new Set(['errors', ...documents.map(({ path }) => path)])
    const links = documents.flatMap(({ folder, path, source }) =>
      [...source.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].flatMap(([, target = '']) => {
        const to = posix.join(folder, target).replace(/\.md$|\/$/, '')
        return served.has(to) ? [{ path, to }] : []
      }),
    )
    for (const { path, to } of links) {
      expect(texts.get(`/docs/${path}`), `${path} to ${to}`).toMatch(
        new RegExp(`href="\\.\\./\\.\\./docs/${to}["#]`),
      )
    }
    for (const from of ['concepts', 'errors', 'guides', 'operating']) {
      expect(links.some(({ path }) => path.startsWith(`${from}/`))).toBe(true)
    }
  })

  test('links from the page of a code to other documents, and shows files of the sources as text', async () => {
    const source =
      '# NOT_FOUND\n\n[a](../concepts/people.md#signing-in) [b](./FORBIDDEN.md) [c](../../STYLE.md)'
    const read = await readDocuments(DOCUMENTS_DIRECTORY)
    const site = await written(
      await open({
        documents: read.map((each) => (each.name === 'NOT_FOUND' ? { ...each, source } : each)),
      }),
    )
    expect(site.get('/docs/errors/NOT_FOUND')).toContain(
      '<p><a href="../../docs/concepts/people#signing-in">a</a> <a href="../../docs/errors/FORBIDDEN">b</a> c</p>',
    )
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

/** The status of a path that is sent as it is written: `fetch` would take the dots out. */
const statusOf = async (url: string, path: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    request({ hostname, port, path }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end()
  })

test('no file is served but the pages, however its path is written', async () => {
  const server = await openTestServer({ pages })
  try {
    expect(await statusOf(server.url, '/docs/concepts/events')).toBe(200)
    for (const path of [
      '/docs/concepts',
      '/docs/concepts/nothing',
      '/docs/concepts/events.md',
      '/docs/concepts/../decisions/0001-runtime-from-a-package',
      '/docs/decisions/0001-runtime-from-a-package',
      '/docs/benchmarks',
      '/docs/concepts/../../package.json',
      '/docs/concepts/%2e%2e/%2e%2e/package.json',
      '/docs/concepts/..%2f..%2fpackage.json',
      '/docs/concepts/..%5c..%5cpackage.json',
      '/docs//etc/passwd',
    ]) {
      expect([path, await statusOf(server.url, path)]).toEqual([path, 404])
    }
  } finally {
    await server.close()
  }
})
