import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Endpoint } from '@florin/wire/endpoint.ts'
import { ERROR_CODES } from '@florin/wire/errors.ts'
import type { OperationReference } from '@florin/wire/reference/operation-reference.ts'
import type { Page } from '../http/page.ts'
import type { Document } from './document-library.ts'
import { asyncApiDocument } from './asyncapi.ts'
import { documentLinks } from './document-link.ts'
import { documentPage } from './document-page.ts'
import { errorExample } from './error-example.ts'
import { errorPage, errorsPage } from './error-pages.ts'
import { framed } from './frame.ts'
import type { Content } from './frame.ts'
import { openApiDocument } from './openapi.ts'
import { operationPage } from './operation-page.ts'
import { overviewPage } from './overview-page.ts'
import {
  documentPath,
  ERRORS_PATH,
  errorPath,
  OVERVIEW_PATH,
  operationPath,
  siteMap,
} from './site-map.ts'

const HTML = 'text/html; charset=utf-8'

export interface SiteOptions {
  readonly endpoints: readonly Endpoint[]
  readonly references: Readonly<Record<string, OperationReference>>
  readonly documents: readonly Document[]
}

/** Everything about the API that can be read: the reference, the documents, a page per error code, descriptions for tools. */
export async function openSite({
  endpoints,
  references,
  documents,
}: SiteOptions): Promise<readonly Page[]> {
  const assets = await Promise.all(ASSETS.map(readAsset))
  const assetTag = createHash('sha256')
  for (const { text } of assets) assetTag.update(text)
  const frame = {
    map: siteMap(endpoints, references, documents),
    assetTag: assetTag.digest('hex').slice(0, 8),
  }
  const sources = new Map(
    documents.filter(({ folder }) => folder === 'errors').map(({ name, source }) => [name, source]),
  )
  const links = documentLinks(documents)
  const page = (path: string, content: (baseUrl: string) => Content): Page => ({
    path,
    contentType: HTML,
    write: async (baseUrl) => framed(content(baseUrl), frame).toString(),
  })
  return [
    page(OVERVIEW_PATH, (baseUrl) => overviewPage(frame.map, baseUrl)),
    page(ERRORS_PATH, errorsPage),
    ...ERROR_CODES.map((code) =>
      page(errorPath(code), () => errorPage(code, sources.get(code), endpoints, links('errors'))),
    ),
    ...endpoints.map((endpoint) =>
      page(operationPath(endpoint.id), (baseUrl) =>
        operationPage(
          endpoint,
          references[endpoint.id] ?? { title: endpoint.id, about: [], answer: {} },
          baseUrl,
        ),
      ),
    ),
    ...documents
      .filter(({ folder }) => folder !== 'errors')
      .map((document) =>
        page(documentPath(document), () => documentPage(document, links(document.folder))),
      ),
    ...assets.map(({ path, contentType, text }) => ({
      path,
      contentType,
      write: async () => text,
    })),
    {
      path: '/asyncapi.json',
      contentType: 'application/json; charset=utf-8',
      write: async (baseUrl) => JSON.stringify(asyncApiDocument(baseUrl)),
    },
    {
      path: '/openapi.json',
      contentType: 'application/json; charset=utf-8',
      write: async (baseUrl) => {
        const errorExamples = new Map(
          [...sources].map(([code, source]) => [code, errorExample(source, baseUrl)]),
        )
        return JSON.stringify(openApiDocument({ endpoints, references, errorExamples, baseUrl }))
      },
    },
  ]
}

const ASSETS = [
  { file: 'style.css', contentType: 'text/css; charset=utf-8' },
  { file: 'copy.js', contentType: 'text/javascript; charset=utf-8' },
  { file: 'icon.svg', contentType: 'image/svg+xml' },
]

async function readAsset({ file, contentType }: (typeof ASSETS)[number]) {
  const text = await readFile(new URL(`assets/${file}`, import.meta.url), 'utf8')
  return { path: `/docs/${file}`, contentType, text }
}
