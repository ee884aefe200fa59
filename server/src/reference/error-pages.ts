import { STATUS_CODES } from 'node:http'
import type { Endpoint } from '@florin/wire/endpoint.ts'
import { catalogue, ERROR_CODES } from '@florin/wire/errors.ts'
import type { ErrorCode } from '@florin/wire/errors.ts'
import type { Content } from './frame.ts'
import { inlineMarkdown } from './markdown-inline.ts'
import type { ResolveLink } from './markdown-inline.ts'
import { renderMarkdown } from './markdown.ts'
import { markup, NOTHING } from './markup.ts'
import type { Html } from './markup.ts'
import { codesByStatus } from './openapi-responses.ts'
import { relativeAddress } from './relative-address.ts'
import { ERRORS_PATH, errorPath, operationPath } from './site-map.ts'

/** Every code by status, with its sentence and what to do. */
export function errorsPage(): Content {
  const statuses = Map.groupBy(ERROR_CODES, (code) => catalogue[code].status)
  const sections = [...statuses]
    .sort(([a], [b]) => a - b)
    .map(
      ([status, codes]) =>
        markup`<h2 id="status-${status}"><span class="status bad">${status}</span> ${STATUS_CODES[status] ?? ''}</h2>\n<dl class="codes">${codes.map(row)}</dl>\n`,
    )
  return {
    path: ERRORS_PATH,
    title: 'Errors',
    description: 'Every error code of the API, what it means and what to do about it.',
    body: markup`<h1>Errors</h1>
<p>Every error has the same body: a <code>code</code> to act on, a <code>message</code> for people, <code>details</code>, the id of the request, and a link to the page of its code. <code>retryAfter</code> is there on 409, 429 and 503.</p>
${sections}`,
  }
}

function row(code: ErrorCode): Html {
  const { next, says } = catalogue[code]
  return markup`<div><dt><a href="${relativeAddress(ERRORS_PATH, errorPath(code))}"><code>${code}</code></a></dt><dd>${says} <span class="next">${next}</span></dd></div>\n`
}

/** The page that `error.docs` leads to: the document of the code, and the operations that answer with it. */
export function errorPage(
  code: ErrorCode,
  source: string | undefined,
  endpoints: readonly Endpoint[],
  resolve: ResolveLink,
): Content {
  const { next, says, status } = catalogue[code]
  const own = errorPath(code)
  const text =
    source ??
    `# ${code}\n\nHTTP ${status}.\n\n## What happened\n\n${says}\n\n## What to do\n\n${next}\n`
  const { body, headings } = renderMarkdown(text, resolve)
  const raised = endpoints.filter((endpoint) => codesByStatus(endpoint).get(status)?.includes(code))
  const links = raised.map(
    ({ id, method, path }) =>
      markup`<li><a href="${relativeAddress(own, operationPath(id))}"><code>${method} ${path}</code></a></li>\n`,
  )
  return {
    path: own,
    title: code,
    description: says,
    body: markup`<p class="crumb"><a href="${relativeAddress(own, ERRORS_PATH)}">Errors</a></p>
<h1 class="code-name">${code} <span class="status bad">${status}</span></h1>
<p class="lead">${inlineMarkdown(says, () => undefined)}</p>
${body}
${links.length === 0 ? NOTHING : markup`<h2 id="operations">Operations that answer with it</h2>\n<ul class="operations">${links}</ul>`}`,
    headings,
  }
}
