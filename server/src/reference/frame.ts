import { contents, neighbours } from './contents.ts'
import type { Heading } from './markdown.ts'
import { markup, NOTHING } from './markup.ts'
import type { Html } from './markup.ts'
import { API_VERSION } from './openapi.ts'
import { relativeAddress } from './relative-address.ts'
import type { Place, SiteMap } from './site-map.ts'
import { ERRORS_PATH, OVERVIEW_PATH } from './site-map.ts'

/** One page before the frame is put around it. */
export interface Content {
  readonly path: string
  readonly title: string
  /** One sentence for search engines and previews. */
  readonly description: string
  readonly body: Html
  /** What stands beside the body and stays in view: samples. */
  readonly samples?: Html
  /** Listed beside the body where there are no samples. */
  readonly headings?: readonly Heading[]
}

export interface FrameOptions {
  readonly map: SiteMap
  /** Tells versions of the style sheet and the script apart. */
  readonly assetTag: string
}

/** The whole page: head, the list of everything, and the content. Readable without style and script. */
export function framed(content: Content, { map, assetTag }: FrameOptions): Html {
  const { path, title, description, body } = content
  const to = (target: string) => relativeAddress(path, target)
  const asset = (name: string) => `${to(`/docs/${name}`)}?v=${assetTag}`
  const beside = besideOf(content)
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === 'Florin' ? 'Florin API reference' : `${title} · Florin`}</title>
<meta name="description" content="${description}">
<link rel="icon" href="${asset('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${asset('style.css')}">
<script src="${asset('copy.js')}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<button class="menu" type="button" popovertarget="side" aria-label="Menu"><span></span><span></span><span></span></button>
<a class="brand" href="${to(OVERVIEW_PATH)}">Florin<span>API ${API_VERSION}</span></a>
<nav class="links" aria-label="Elsewhere"><a href="${to(ERRORS_PATH)}">Errors</a><a href="${to('/openapi.json')}">OpenAPI</a></nav>
</header>
<nav class="side" id="side" popover aria-label="Contents">
${contents(path, map)}</nav>
<main id="content" class="${beside.kind}">
<article class="prose">${body}</article>
${beside.html}${footer(path, map)}
</main>
</body>
</html>
`
}

function besideOf({ samples, headings = [] }: Content): {
  readonly kind: string
  readonly html: Html
} {
  if (samples !== undefined) {
    return { kind: 'split', html: markup`<aside class="samples">${samples}</aside>\n` }
  }
  const listed = headings.filter(({ level }) => level === 2)
  if (listed.length < 2) return { kind: 'plain', html: NOTHING }
  const items = listed.map(({ id, text }) => markup`<li><a href="#${id}">${text}</a></li>\n`)
  return {
    kind: 'outlined',
    html: markup`<nav class="outline" aria-label="On this page"><h2>On this page</h2><ul>${items}</ul></nav>\n`,
  }
}

function footer(path: string, map: SiteMap): Html {
  const { before, after } = neighbours(path, map)
  const link = (place: Place | undefined, rel: string, says: string) =>
    place === undefined
      ? markup`<span></span>`
      : markup`<a rel="${rel}" href="${relativeAddress(path, place.path)}"><span>${says}</span>${place.title}</a>`
  return markup`<nav class="turn" aria-label="Neighbouring pages">${link(before, 'prev', 'Before')}${link(after, 'next', 'Next')}</nav>`
}
