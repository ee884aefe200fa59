import { methodBadge } from './method-badge.ts'
import { markup, NOTHING } from './markup.ts'
import type { Html } from './markup.ts'
import { relativeAddress } from './relative-address.ts'
import { ERRORS_PATH, OVERVIEW_PATH } from './site-map.ts'
import type { Place, Section, SiteMap } from './site-map.ts'

const OVERVIEW: Place = { path: OVERVIEW_PATH, title: 'Overview' }
const ALL_ERRORS: Place = { path: ERRORS_PATH, title: 'All codes' }

/** The list of everything, as it stands at the side of a page. The codes are listed only where one is being read. */
export function contents(
  path: string,
  { guides, concepts, operating, groups, errors }: SiteMap,
): Html {
  const item = (place: Section['places'][number]) => {
    const here = place.path === path ? markup` aria-current="page"` : NOTHING
    const badge = place.endpoint === undefined ? NOTHING : methodBadge(place.endpoint.method)
    return markup`<li><a href="${relativeAddress(path, place.path)}"${here}>${badge}<span>${place.title}</span></a></li>\n`
  }
  const list = (title: string, places: Section['places']) =>
    places.length === 0 ? NOTHING : markup`<h2>${title}</h2>\n<ul>\n${places.map(item)}</ul>\n`
  const codes = path.startsWith(`${ERRORS_PATH}/`) ? errors : []
  return markup`${list('Start', [OVERVIEW, ...guides.places])}${list(concepts.title, concepts.places)}${groups.map(
    (group) => list(group.title, group.places),
  )}${list(operating.title, operating.places)}<div class="codes-list">${list('Errors', [ALL_ERRORS, ...codes])}</div>`
}

/** The pages before and after one, in the order of the list; none around a page that is not in it. */
export function neighbours(
  path: string,
  { guides, concepts, operating, groups, errors }: SiteMap,
): { readonly before: Place | undefined; readonly after: Place | undefined } {
  const all = [
    OVERVIEW,
    ...guides.places,
    ...concepts.places,
    ...groups.flatMap(({ places }) => places),
    ...operating.places,
    { ...ALL_ERRORS, title: 'Errors' },
    ...errors,
  ]
  const at = all.findIndex((place) => place.path === path)
  return at === -1
    ? { before: undefined, after: undefined }
    : { before: all[at - 1], after: all[at + 1] }
}
