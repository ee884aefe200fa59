import type { Document } from './document-library.ts'
import type { Content } from './frame.ts'
import { renderMarkdown } from './markdown.ts'
import type { ResolveLink } from './markdown-inline.ts'
import { markup } from './markup.ts'
import { documentPath } from './site-map.ts'

/** A document of docs/ as a page. */
export function documentPage(document: Document, resolve: ResolveLink): Content {
  const { body, headings, title } = renderMarkdown(document.source, resolve)
  return {
    path: documentPath(document),
    title,
    description: `${title}. Documents of the Florin payment API.`,
    body: markup`<h1>${title}</h1>\n${body}`,
    headings,
  }
}
