import type { Endpoint } from '@florin/wire/endpoint.ts'
import { catalogue } from '@florin/wire/errors.ts'
import { GROUPS, groupOf } from '@florin/wire/reference/groups.ts'
import type { OperationReference } from '@florin/wire/reference/operation-reference.ts'
import type { Document } from './document-library.ts'

export interface Place {
  readonly path: string
  readonly title: string
}

export interface Section {
  readonly title: string
  readonly says: string
  readonly places: readonly (Place & { readonly endpoint?: Endpoint })[]
}

/** Everything that can be read, in the order in which the side of each page lists it. */
export interface SiteMap {
  readonly guides: Section
  readonly concepts: Section
  readonly operating: Section
  readonly groups: readonly Section[]
  readonly errors: readonly Place[]
}

export function siteMap(
  endpoints: readonly Endpoint[],
  references: Readonly<Record<string, OperationReference>>,
  documents: readonly Document[],
): SiteMap {
  const inFolder = (folder: string) =>
    documents
      .filter((document) => document.folder === folder)
      .sort((a, b) => placeOf(a) - placeOf(b))
      .map((document) => ({ path: documentPath(document), title: titleOf(document) }))
  const groups = [...GROUPS, groupOf('')].map((group) => ({
    title: group.title,
    says: group.says,
    places: endpoints
      .filter(({ path }) => groupOf(path) === group)
      .map((endpoint) => ({
        path: operationPath(endpoint.id),
        title: references[endpoint.id]?.title ?? endpoint.id,
        endpoint,
      })),
  }))
  return {
    guides: {
      title: 'Guides',
      says: 'How the API behaves everywhere.',
      places: inFolder('guides'),
    },
    concepts: {
      title: 'Concepts',
      says: 'The ideas behind the API.',
      places: inFolder('concepts'),
    },
    operating: {
      title: 'Operating',
      says: 'For whoever runs the service.',
      places: inFolder('operating'),
    },
    groups: groups.filter(({ places }) => places.length > 0),
    errors: Object.keys(catalogue).map((code) => ({ path: errorPath(code), title: code })),
  }
}

export const OVERVIEW_PATH = '/docs'
export const ERRORS_PATH = '/docs/errors'

export function operationPath(id: string): string {
  return `/docs/operations/${id}`
}

export function errorPath(code: string): string {
  return `/docs/errors/${code}`
}

export function documentPath({ folder, name }: Pick<Document, 'folder' | 'name'>): string {
  return `/docs/${folder}/${name}`
}

/** In the order in which they are best read; others follow. */
const ORDER = [
  'guides/first-payment',
  'guides/authentication',
  'guides/money',
  'guides/idempotency',
  'guides/statuses',
  'guides/limits',
  'guides/versioning',
  'operating/production',
  'operating/networks',
]

function placeOf({ folder, name }: Document): number {
  const place = ORDER.indexOf(`${folder}/${name}`)
  return place === -1 ? ORDER.length : place
}

function titleOf({ name, source }: Document): string {
  return /^# (.*)$/m.exec(source)?.[1]?.replaceAll('`', '') ?? name
}
