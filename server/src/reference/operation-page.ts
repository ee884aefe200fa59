import { published } from '@florin/wire/endpoint.ts'
import type { Endpoint } from '@florin/wire/endpoint.ts'
import { catalogue } from '@florin/wire/errors.ts'
import type { OperationReference } from '@florin/wire/reference/operation-reference.ts'
import { isAbsent } from './absent.ts'
import { exampleAnswer } from './example-answer.ts'
import { fieldList } from './field-list.ts'
import type { Content } from './frame.ts'
import { toJsonSchema } from './json-schema.ts'
import { codeBlock } from './markdown.ts'
import { inlineMarkdown } from './markdown-inline.ts'
import type { ResolveLink } from './markdown-inline.ts'
import { markup, NOTHING } from './markup.ts'
import type { Html } from './markup.ts'
import { codesByStatus } from './openapi-responses.ts'
import { relativeAddress } from './relative-address.ts'
import { sampleTabs } from './sample-tabs.ts'
import { samplesOf } from './samples.ts'
import { documentPath, errorPath, operationPath } from './site-map.ts'

const IDEMPOTENCY_GUIDE = documentPath({ folder: 'guides', name: 'idempotency' })

/** What one operation takes, answers and refuses, with samples beside it. */
export function operationPage(
  endpoint: Endpoint,
  reference: OperationReference,
  baseUrl: string,
): Content {
  const { body, id, method, params, path, query, summary } = endpoint
  const own = operationPath(id)
  const resolve: ResolveLink = (target) =>
    target.startsWith('#') ? relativeAddress(own, operationPath(target.slice(1))) : undefined
  const request = (schema: object) => fieldList(toJsonSchema(schema, { open: false }), 'request')
  return {
    path: own,
    title: reference.title,
    description: `${method} ${path}: ${summary}.`,
    body: markup`<h1>${reference.title}</h1>
<p class="route"><span class="method ${method.toLowerCase()}">${method}</span> <code>${pathParts(path)}</code></p>
<p class="lead">${summary}.</p>
${deprecation(endpoint, own)}${reference.about.map((text) => markup`<p>${inlineMarkdown(text, resolve)}</p>\n`)}
${needs(endpoint, own)}
${hasFields(params) ? markup`<h2 id="path">Path parameters</h2>${request(params)}` : NOTHING}
${hasFields(query) ? markup`<h2 id="query">Query parameters</h2>${request(query)}` : NOTHING}
${isAbsent(body) ? NOTHING : markup`<h2 id="body">Request body</h2>${request(body)}`}
<h2 id="response">Response</h2>
${fieldList(toJsonSchema(published(endpoint), { open: true }), 'response')}
<h2 id="errors">Errors</h2>
${errors(endpoint, own)}`,
    samples: markup`<h2>Request</h2>
${sampleTabs(samplesOf(endpoint, reference, baseUrl))}
<h2>Response <span class="status ok">200</span></h2>
${codeBlock(JSON.stringify(exampleAnswer(endpoint, reference), null, 2), 'json')}`,
  }
}

/** The parts that vary stand out. */
function pathParts(path: string): Html {
  return markup`${path
    .split(/(\{\w+\})/)
    .map((part) => (part.startsWith('{') ? markup`<em>${part}</em>` : markup`${part}`))}`
}

function deprecation({ deprecated }: Endpoint, own: string): Html {
  if (deprecated === undefined) return NOTHING
  const { guide, sunsetMilliseconds } = deprecated
  const day = new Date(sunsetMilliseconds).toISOString().slice(0, 10)
  return markup`<p class="note"><strong>Deprecated.</strong> It may stop to answer on ${day}. See <a href="${relativeAddress(own, guide)}">how to move on</a>.</p>\n`
}

/** Who opens what no key opens. */
const SESSIONS = {
  anyone: 'a session of the dashboard',
  member: 'a session of a member of the account',
  owner: 'a session of an owner of the account',
  operator: 'a session of an operator of the installation',
} as const

function needs({ idempotent, needs: needed }: Endpoint, own: string): Html {
  const key =
    needed === null
      ? markup`<dd>none</dd>`
      : 'session' in needed
        ? markup`<dd>none: ${SESSIONS[needed.session]}</dd>`
        : markup`<dd>scope <code>${needed.scope}</code>, plan ${needed.plan} or higher</dd>`
  const repeat = idempotent
    ? markup`<div><dt>Repeating</dt><dd>safe with an <a href="${relativeAddress(own, IDEMPOTENCY_GUIDE)}"><code>Idempotency-Key</code></a></dd></div>`
    : NOTHING
  return markup`<dl class="facts"><div><dt>Key</dt>${key}</div>${repeat}</dl>`
}

function hasFields(schema: object): boolean {
  return Object.keys(toJsonSchema(schema, { open: false }).properties ?? {}).length > 0
}

function errors(endpoint: Endpoint, own: string): Html {
  const rows = [...codesByStatus(endpoint)].flatMap(([status, codes]) =>
    codes.map(
      (
        code,
      ) => markup`<li><div class="field"><span class="status bad">${status}</span> <a href="${relativeAddress(own, errorPath(code))}"><code>${code}</code></a></div>
<p>${catalogue[code].says}</p></li>\n`,
    ),
  )
  return markup`<ul class="fields">${rows}</ul>`
}
