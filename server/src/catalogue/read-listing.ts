import { fieldsOf } from '@florin/wire/x402/fields.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { limits } from '../kernel/limits.ts'
import { fitsSchema } from './fits-schema.ts'
import type { Listing, ReadListing, RejectedReason } from './listing.ts'
import { isPublicUrl, isTemplate, resourceUrl, webUrl } from './resource-url.ts'
import { bazaarOfV1 } from './v1-listing.ts'

const QUERY_METHODS = ['GET', 'HEAD', 'DELETE']
const BODY_METHODS = ['POST', 'PUT', 'PATCH']
const BODY_TYPES = ['json', 'form-data', 'text']
const TRANSPORTS = ['streamable-http', 'sse']
const TOOL_NAME_CHARACTERS_MAX = 128
const DESCRIPTION_CHARACTERS_MAX = 1_000
const NAME = /^[\x20-\x7e]{1,32}$/
const MIME_TYPE = /^[\x20-\x7e]{1,128}$/
const TAGS_MAX = 5

/** What a seller hands over with a payment. */
export interface Shown {
  readonly paymentPayload: unknown
  readonly paymentRequirements: unknown
}

/**
 * What a payment asks to be listed as, in either version of x402, nothing believed yet. `anyHost` where the money is play money and shops
 * run on the same machine. Source: x402 2.27, bazaar: facilitator.
 */
export function readListing(
  { paymentPayload, paymentRequirements }: Shown,
  { anyHost }: { readonly anyHost: boolean },
): ReadListing {
  const payload = fieldsOf(paymentPayload) ?? {}
  const isFirst = payload['x402Version'] === 1
  const said = fieldsOf(isFirst ? paymentRequirements : payload['resource']) ?? {}
  const bazaar = isFirst
    ? bazaarOfV1(said['outputSchema'])
    : fieldsOf(payload['extensions'])?.['bazaar']
  if (bazaar === undefined || bazaar === null) return { kind: 'none' }
  const extension = fieldsOf(bazaar)
  if (extension === undefined) return rejected('invalid_extension')
  const { routeTemplate, schema } = extension
  const info = fieldsOf(extension['info'])
  const input = fieldsOf(info?.['input'])
  if (info === undefined || input === undefined || !isInput(input)) {
    return rejected('invalid_extension')
  }
  const kept = { info, schema, ...(isTemplate(routeTemplate) ? { routeTemplate } : {}) }
  const text = JSON.stringify(kept)
  // The database keeps no such character.
  if (text.includes(String.raw`\u0000`)) return rejected('invalid_extension')
  if (text.length > limits.catalogueListingCharactersMax) return rejected('too_large')
  const url = said[isFirst ? 'resource' : 'url']
  const resource = resourceUrl(url, routeTemplate)
  if (resource === undefined) return rejected('invalid_resource_url')
  if (!anyHost && !isPublicUrl(resource)) return rejected('resource_not_public')
  switch (fitsSchema(schema, info)) {
    case 'differs':
      return rejected('schema_mismatch')
    case 'unclear':
      return rejected('invalid_schema')
    case 'fits':
      break
  }
  const listing: Listing = {
    resource,
    ...callOf(input),
    x402Version: isFirst ? 1 : 2,
    description: plain(said['description']),
    mimeType: matching(said['mimeType'], MIME_TYPE),
    serviceName: matching(said['serviceName'], NAME),
    tags: tagsOf(said['tags']),
    iconUrl: iconOf(said['iconUrl']),
    bazaar: kept,
  }
  return { kind: 'listing', listing }
}

function rejected(reason: RejectedReason): ReadListing {
  return { kind: 'rejected', reason }
}

/** How it is called, when the protocol has that. */
function isInput({ type, method, bodyType, toolName, inputSchema, transport }: Fields): boolean {
  if (type === 'mcp') {
    return (
      typeof toolName === 'string' &&
      toolName !== '' &&
      toolName.length <= TOOL_NAME_CHARACTERS_MAX &&
      fieldsOf(inputSchema) !== undefined &&
      (transport === undefined || isAmong(TRANSPORTS, transport))
    )
  }
  if (type !== 'http') return false
  if (method !== undefined && !isAmong([...QUERY_METHODS, ...BODY_METHODS], method)) return false
  if (bodyType === undefined) return true
  return isAmong(BODY_TYPES, bodyType) && (method === undefined || isAmong(BODY_METHODS, method))
}

function callOf({ type, method, toolName }: Fields): Pick<Listing, 'type' | 'method' | 'toolName'> {
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  return type === 'mcp'
    ? { type, method: '', toolName: text(toolName) }
    : { type: 'http', method: text(method), toolName: '' }
}

function isAmong(names: readonly string[], value: unknown): boolean {
  return names.some((name) => name === value)
}

/** Text for people: one line, cut, without what a page or a terminal would obey. */
function plain(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const line = value.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return line === '' ? null : [...line].slice(0, DESCRIPTION_CHARACTERS_MAX).join('')
}

function matching(value: unknown, form: RegExp): string | null {
  return typeof value === 'string' && form.test(value) ? value : null
}

function tagsOf(value: unknown): readonly string[] {
  const tags = (Array.isArray(value) ? value : []).flatMap((tag) => matching(tag, NAME) ?? [])
  const isNew = (tag: string, at: number) =>
    tags.findIndex((each) => each.toLowerCase() === tag.toLowerCase()) === at
  return tags.filter(isNew).slice(0, TAGS_MAX)
}

/** A page that shows the catalogue asks for it: never an address of the reader's own network. */
function iconOf(value: unknown): string | null {
  const url = webUrl(value)
  return url !== undefined && isPublicUrl(url.href) ? url.href : null
}
