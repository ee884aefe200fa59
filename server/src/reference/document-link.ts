import { posix } from 'node:path'
import { ERROR_CODES } from '@florin/wire/errors.ts'
import type { Document } from './document-library.ts'
import type { ResolveLink } from './markdown-inline.ts'
import { relativeAddress } from './relative-address.ts'
import { documentPath, ERRORS_PATH, errorPath } from './site-map.ts'

/**
 * Where the links of the documents of one folder lead: to pages of the site, to the web, else nowhere. A file that the
 * site does not show, a decision or a source, is for those who have the repository.
 */
export function documentLinks(documents: readonly Document[]): (folder: string) => ResolveLink {
  const pages = new Map([
    ['errors', ERRORS_PATH],
    ...ERROR_CODES.map((code) => [`errors/${code}.md`, errorPath(code)] as const),
    ...documents
      .filter(({ folder }) => folder !== 'errors')
      .map((each) => [`${each.folder}/${each.name}.md`, documentPath(each)] as const),
  ])
  return (folder) => {
    // Pages of a folder are equally deep: a relative address that holds on one holds on all.
    const from = documentPath({ folder, name: '' })
    return (target) => {
      if (/^(https?:|#)/.test(target)) return target
      if (target.startsWith('/')) return relativeAddress(from, target)
      const [file = '', fragment] = target.split('#')
      const page = pages.get(posix.join(folder, file).replace(/\/$/, ''))
      if (page === undefined) return undefined
      return relativeAddress(from, page) + (fragment === undefined ? '' : `#${fragment}`)
    }
  }
}
