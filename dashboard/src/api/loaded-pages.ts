import { replaceEqualDeep } from '@tanstack/react-query'

/** A row, what it is known by, and the time that its list is sorted by. */
export interface Entry<Row> {
  readonly id: string
  /** Unix milliseconds. */
  readonly at: number
  readonly row: Row
}

/** A page of a list that goes on by cursor, as it was last read. */
export interface LoadedPage<Answer, Row> {
  /** What it was asked with: it begins behind it. Undefined: the first. */
  readonly cursor: string | undefined
  /** Behind its last row, null at the end of the list. */
  readonly next: string | null
  readonly answer: Answer
  readonly entries: readonly Entry<Row>[]
  /** Unix milliseconds; 0: rows of it were never read. */
  readonly readAt: number
}

/** What is shown of a list. */
export interface LoadedList<Answer, Row> {
  /** Newest first. */
  readonly pages: readonly LoadedPage<Answer, Row>[]
  /** How many pages the reader asked for. */
  readonly asked: number
  /** Ids of rows that changed since they were read. */
  readonly changed: readonly string[]
}

/** Pages behind the first that one refresh reads. */
export const FURTHER_PAGES_MAX = 2
/** By how many pages a list may grow by what comes in on top of it, before its end is let go. */
export const GROWN_PAGES_MAX = 20
/** A page behind the first is read again by a refresh when it was read longer ago. */
const OLD_MILLISECONDS = 30_000
/** Lists are sorted by when rows were written down, which is their time but for so much. */
const ORDER_MILLISECONDS = 1_000

/** What a refresh reads beside the first page: places in `pages`. Never read before known to have changed, before read long ago. */
export function furtherToRead(
  { pages, changed }: LoadedList<unknown, unknown>,
  now: number,
): readonly number[] {
  const isChanged = (page: LoadedPage<unknown, unknown>) =>
    page.entries.some(({ id }) => changed.includes(id))
  const rank = (page: LoadedPage<unknown, unknown>) =>
    page.readAt === 0 ? 0 : isChanged(page) ? 1 : 2
  return pages
    .map((page, place) => ({ place, page, rank: rank(page) }))
    .filter(({ place, page, rank }) => place > 0 && (rank < 2 || isOld(page, now)))
    .toSorted((a, b) => a.rank - b.rank || a.page.readAt - b.page.readAt)
    .slice(0, FURTHER_PAGES_MAX)
    .map(({ place }) => place)
}

const isOld = ({ readAt }: LoadedPage<unknown, unknown>, now: number) =>
  now - readAt > OLD_MILLISECONDS

/** Whether there is more to read again than one refresh did. */
export function isBehind({ pages, changed }: LoadedList<unknown, unknown>): boolean {
  return changed.length > 0 || pages.some(({ readAt }) => readAt === 0)
}

/** The list, with those of its rows that are known to have changed. */
export function withChanged<L extends LoadedList<unknown, unknown>>(
  list: L,
  names: ReadonlySet<string>,
): L {
  const named = idsOf(list.pages).filter((id) => names.has(id))
  if (named.length === 0) return list
  return { ...list, changed: [...new Set([...list.changed, ...named])] }
}

/** The list with a page behind its last one. */
export function withMore<A, R>(list: LoadedList<A, R>, page: LoadedPage<A, R>): LoadedList<A, R> {
  return { ...list, pages: [...list.pages, page], asked: list.asked + 1 }
}

/**
 * The list with pages that were read anew. What new rows push out of a page stays behind it; only who asked for one page sees just that.
 * A page that ends with a row nobody knew leaves a gap behind it, which the next refresh reads. A row that is as it was is the same object.
 */
export function withRead<A, R>(
  list: LoadedList<A, R>,
  read: readonly LoadedPage<A, R>[],
): LoadedList<A, R> {
  let { pages } = list
  const before = new Map(pages.flatMap(({ entries }) => entries.map(({ id, row }) => [id, row])))
  const asBefore = (page: LoadedPage<A, R>) => ({
    ...page,
    entries: page.entries.map((entry) => ({
      ...entry,
      row: replaceEqualDeep(before.get(entry.id), entry.row),
    })),
  })
  // From the last: a page may reach into those behind it, which are known by where they began.
  for (const fresh of read.toReversed()) {
    const place = pages.findIndex(({ cursor }) => cursor === fresh.cursor)
    if (place !== -1)
      pages = [...pages.slice(0, place), asBefore(fresh), ...behind(fresh, pages.slice(place))]
  }
  pages = pages.slice(0, list.asked === 1 ? 1 : list.asked + GROWN_PAGES_MAX)
  const seen = new Set(idsOf(read))
  const shown = new Set(idsOf(pages))
  return { ...list, pages, changed: list.changed.filter((id) => shown.has(id) && !seen.has(id)) }
}

/** What follows a page that was read anew, of the pages that were there from its place on. */
function behind<A, R>(
  fresh: LoadedPage<A, R>,
  before: readonly LoadedPage<A, R>[],
): readonly LoadedPage<A, R>[] {
  if (fresh.next === null) return []
  const known = new Set(idsOf([fresh]))
  const end = fresh.entries.at(-1)
  // What belongs before the page's end and is not on the page has left the list.
  const isBehindEnd = ({ id, at }: Entry<R>) =>
    !known.has(id) && (end === undefined || at <= end.at + ORDER_MILLISECONDS)
  const [first, second, ...others] = before
    .map((page) => ({ ...page, entries: page.entries.filter(isBehindEnd) }))
    .filter(({ entries }) => entries.length > 0)
  if (first === undefined) return []
  const isGap = end !== undefined && !idsOf(before).includes(end.id)
  const next = { ...first, cursor: fresh.next, readAt: isGap ? 0 : first.readAt }
  if (second === undefined) return [next]
  const entries = [...next.entries, ...second.entries]
  if (entries.length > known.size) return [next, second, ...others]
  // Small pieces are one page, which one request reads.
  const readAt = Math.min(next.readAt, second.readAt)
  return [{ ...second, cursor: next.cursor, entries, readAt }, ...others]
}

const idsOf = (pages: readonly LoadedPage<unknown, unknown>[]) =>
  pages.flatMap(({ entries }) => entries.map(({ id }) => id))

/** All rows, each once: a row that changed its place between two requests is on two pages. */
export function rowsOf<R>({ pages }: LoadedList<unknown, R>): readonly R[] {
  const entries = pages.flatMap((page) => page.entries)
  const places = new Map(entries.map(({ id }, place) => [id, place]))
  return entries.filter(({ id }, place) => places.get(id) === place).map(({ row }) => row)
}
