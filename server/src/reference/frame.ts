import { relativeAddress } from './relative-address.ts'
import { markup, NOTHING } from './markup.ts'
import type { Html } from './markup.ts'
import { API_VERSION } from './openapi.ts'
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
  readonly aside?: Html
}

export interface FrameOptions {
  readonly map: SiteMap
  /** Tells versions of the style sheet and the script apart. */
  readonly assetTag: string
}

/** The whole page: head, the list of everything at its side, and the content. Readable without style and script. */
export function framed(
  { path, title, description, body, aside }: Content,
  options: FrameOptions,
): Html {
  const to = (target: string) => relativeAddress(path, target)
  const asset = (name: string) => `${to(`/docs/${name}`)}?v=${options.assetTag}`
  const main =
    aside === undefined
      ? markup`<article class="prose">${body}</article>`
      : markup`<article class="prose">${body}</article><aside class="samples">${aside}</aside>`
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
<button class="menu" popovertarget="side" aria-label="Menu"><span></span><span></span><span></span></button>
<a class="brand" href="${to(OVERVIEW_PATH)}">Florin<span>API ${API_VERSION}</span></a>
<nav class="links" aria-label="Elsewhere"><a href="${to(ERRORS_PATH)}">Errors</a><a href="${to('/openapi.json')}">OpenAPI</a></nav>
</header>
<nav class="side" id="side" popover aria-label="Contents">
${side(path, options.map, to)}</nav>
<main id="content" class="${aside === undefined ? 'plain' : 'split'}">
${main}
</main>
</body>
</html>
`
}

function side(
  path: string,
  { guides, operating, groups, errors }: SiteMap,
  to: (target: string) => string,
): Html {
  const item = (place: Place, label: Html) =>
    markup`<li><a href="${to(place.path)}"${place.path === path ? markup` aria-current="page"` : NOTHING}>${label}</a></li>\n`
  const list = (title: string, items: readonly Html[]) =>
    items.length === 0 ? NOTHING : markup`<h2>${title}</h2>\n<ul>\n${items}</ul>\n`
  const named = (places: readonly Place[]) =>
    places.map((place) => item(place, markup`${place.title}`))
  return markup`${list('Start', [
    item({ path: OVERVIEW_PATH, title: 'Overview' }, markup`Overview`),
    ...named(guides.places),
  ])}${groups.map(({ title, places }) =>
    list(
      title,
      places.map((place) =>
        item(
          place,
          markup`${place.endpoint === undefined ? NOTHING : methodBadge(place.endpoint.method)}<span>${place.title}</span>`,
        ),
      ),
    ),
  )}${list('Operating', named(operating.places))}${list('Errors', [
    item({ path: ERRORS_PATH, title: 'All codes' }, markup`All codes`),
    ...(path.startsWith(`${ERRORS_PATH}/`)
      ? errors.map((place) => item(place, markup`<span class="code-name">${place.title}</span>`))
      : []),
  ])}`
}

export function methodBadge(method: string): Html {
  return markup`<span class="method ${method.toLowerCase()}">${method === 'DELETE' ? 'DEL' : method}</span>`
}
