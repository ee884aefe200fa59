import type { Content } from './frame.ts'
import { codeBlock } from './markdown.ts'
import { markup, NOTHING } from './markup.ts'
import type { Html } from './markup.ts'
import { methodBadge } from './method-badge.ts'
import { relativeAddress } from './relative-address.ts'
import { ERRORS_PATH, OVERVIEW_PATH } from './site-map.ts'
import type { Section, SiteMap } from './site-map.ts'

const to = (target: string) => relativeAddress(OVERVIEW_PATH, target)

/** The first page: where to begin, and every operation on one screen. */
export function overviewPage(
  { guides, concepts, operating, groups }: SiteMap,
  baseUrl: string,
): Content {
  return {
    path: OVERVIEW_PATH,
    title: 'Florin',
    description: 'Reference of the Florin payment API: operations, errors, guides.',
    body: markup`<h1>Florin API reference</h1>
<p class="lead">Pay and be paid on EVM networks and Solana with one HTTP call. Nothing is lost, nothing is paid twice, and every payment has an honest status.</p>
<dl class="facts"><div><dt>Base address</dt><dd><code>${baseUrl}</code></dd></div><div><dt>Key</dt><dd><code>Authorization: Bearer florin_…</code></dd></div><div><dt>For tools</dt><dd><a href="${to('/openapi.json')}"><code>/openapi.json</code></a> of the operations, OpenAPI 3.1<br><a href="${to('/asyncapi.json')}"><code>/asyncapi.json</code></a> of the WebSocket, AsyncAPI 3.0</dd></div></dl>
${codeBlock(`curl ${baseUrl}/wallets \\\n  -H "Authorization: Bearer $FLORIN_API_KEY"`, 'sh')}
<p>Every operation is served at its path and under <code>/api</code>: <code>/payment/send</code> and <code>/api/payment/send</code> are one.</p>
${cards(guides)}
${cards(concepts)}
<h2 id="operations">Operations</h2>
${groups.map(operations)}
${cards(operating)}
<h2 id="errors">Errors</h2>
<p>Every error has a code, a sentence and what to do next. <a href="${to(ERRORS_PATH)}">All codes</a>.</p>`,
  }
}

function cards({ title, says, places }: Section): Html {
  if (places.length === 0) return NOTHING
  const items = places.map(
    (place) => markup`<li><a href="${to(place.path)}">${place.title}</a></li>\n`,
  )
  return markup`<h2 id="${title.toLowerCase()}">${title}</h2>\n<p>${says}</p>\n<ul class="cards">${items}</ul>`
}

function operations({ title, says, places }: Section): Html {
  const rows = places.map(
    ({ endpoint, path, title }) =>
      markup`<li><a href="${to(path)}">${endpoint === undefined ? NOTHING : methodBadge(endpoint.method)}<code>${endpoint?.path ?? ''}</code><span>${title}</span></a></li>\n`,
  )
  return markup`<section class="group"><h3>${title}</h3><p>${says}</p><ul class="rows">${rows}</ul></section>\n`
}
