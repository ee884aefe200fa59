import { posix } from 'node:path'
import { headingId } from '@florin/server/reference/markdown.ts'
import type { SourceFile } from './source.ts'

/**
 * Blocks of code of a document that do not begin at the left edge, as inside a list. /docs shows those as text, and the checks of commands and
 * snippets pass over them.
 */
export function indentedCode({ path, text }: SourceFile): readonly string[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      /^\s+```/.test(line) ? [`${path}:${index + 1}: a block of code that is indented`] : [],
    )
}

const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g
const CODE = /^```.*?^```/gms

/** Links of a document to a heading that no document of that address has. */
export function lostAnchors(page: SourceFile, pages: readonly SourceFile[]): readonly string[] {
  return [...page.text.replaceAll(CODE, '').matchAll(LINK)].flatMap(([, link = '']) => {
    const [target = '', anchor] = link.split('#')
    if (anchor === undefined || /^[a-z]+:/.test(link)) return []
    const path =
      target === '' ? page.path : posix.join(posix.dirname(page.path), target).replace(/\/$/, '')
    const document = pages.find((other) => other.path === path)
    // What is no document of ours has its anchors elsewhere; that it is there is asked by another rule.
    if (document === undefined) return []
    return anchorsOf(document).has(anchor) ? [] : [`${page.path}: no such heading: ${link}`]
  })
}

function anchorsOf({ text }: SourceFile): ReadonlySet<string> {
  const headings = text.replaceAll(CODE, '').matchAll(/^#{1,6} +(.+?) *#*$/gm)
  return new Set([...headings].map(([, heading = '']) => headingId(heading)))
}
