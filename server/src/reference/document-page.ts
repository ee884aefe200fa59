import { posix } from 'node:path'
import type { Document } from './document-library.ts'
import type { Content } from './frame.ts'
import { renderMarkdown } from './markdown.ts'
import { markup } from './markup.ts'
import { relativeAddress } from './relative-address.ts'
import { documentPath } from './site-map.ts'

/** A document of docs/ as a page. Links to other documents of the site lead to their pages; to other files, nowhere. */
export function documentPage(document: Document, all: readonly Document[]): Content {
  const own = documentPath(document)
  const pages = new Map(all.map((each) => [`${each.folder}/${each.name}.md`, documentPath(each)]))
  const { body, headings, title } = renderMarkdown(document.source, (target) => {
    if (/^(https?:|#)/.test(target)) return target
    if (target.startsWith('/')) return relativeAddress(own, target)
    const [file = '', fragment] = target.split('#')
    const page = pages.get(posix.join(document.folder, file))
    if (page === undefined) return undefined
    return relativeAddress(own, page) + (fragment === undefined ? '' : `#${fragment}`)
  })
  return {
    path: own,
    title,
    description: `${title}. Documents of the Florin payment API.`,
    body: markup`<h1>${title}</h1>\n${body}`,
    headings,
  }
}
