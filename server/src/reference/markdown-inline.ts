import { markup } from './markup.ts'
import type { Html } from './markup.ts'

/** Where a link of a document leads on the site; undefined: nowhere, and only its text is shown. */
export type ResolveLink = (target: string) => string | undefined

/** Code, bold, emphasis, link; the first one that begins counts. */
const SPAN =
  /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|\[([^\]]+)\]\(([^()\s]+(?:\([^()\s]*\))?[^()\s]*)\)/

/** The text of a paragraph, a cell or a heading: code, **bold**, *emphasis* and links. Everything else is plain text. */
export function inlineMarkdown(text: string, resolve: ResolveLink): Html {
  const parts: Html[] = []
  let rest = text
  for (;;) {
    const found = SPAN.exec(rest)
    if (found === null) break
    const [whole, code, bold, emphasis, label = '', target = ''] = found
    parts.push(markup`${rest.slice(0, found.index)}`)
    if (code !== undefined) parts.push(markup`<code>${code}</code>`)
    else if (bold !== undefined)
      parts.push(markup`<strong>${inlineMarkdown(bold, resolve)}</strong>`)
    else if (emphasis !== undefined)
      parts.push(markup`<em>${inlineMarkdown(emphasis, resolve)}</em>`)
    else parts.push(link(inlineMarkdown(label, resolve), safe(resolve(target))))
    rest = rest.slice(found.index + whole.length)
  }
  return markup`${parts}${rest}`
}

function link(label: Html, address: string | undefined): Html {
  return address === undefined ? label : markup`<a href="${address}">${label}</a>`
}

/** Only the web and our own pages; `javascript:` and its kin lead nowhere. */
function safe(address: string | undefined): string | undefined {
  if (address === undefined || /[\s\\]/.test(address)) return undefined
  return /^(https?:\/\/|#|\.{0,2}\/(?!\/)|[\w-]+(\/|#|$))/i.test(address) ? address : undefined
}
