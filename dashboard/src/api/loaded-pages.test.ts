import { expect, test } from 'vitest'
import {
  FURTHER_PAGES_MAX,
  furtherToRead,
  GROWN_PAGES_MAX,
  isBehind,
  rowsOf,
  withChanged,
  withMore,
  withRead,
} from './loaded-pages.ts'
import type { LoadedList, LoadedPage } from './loaded-pages.ts'

const SIZE = 5
const NOW = 1_000_000
type Page = LoadedPage<string, number>
type List = LoadedList<string, number>

/** A list of a service: numbers, the highest first; a cursor is the number that its page begins behind. */
const read = (rows: readonly number[], cursor: string | undefined, readAt = NOW): Page => {
  const behind = rows.filter((row) => cursor === undefined || row < Number(cursor))
  const page = behind.slice(0, SIZE)
  const next = behind.length > SIZE ? String(page.at(-1)) : null
  const entries = page.map((row) => ({ id: String(row), at: row * 10_000, row }))
  return { cursor, next, answer: String(cursor), entries, readAt }
}
const numbers = (count: number) => Array.from({ length: count }, (_, index) => count - index)
const open = (rows: readonly number[], pages: number, readAt = NOW): List => {
  let list: List = { pages: [read(rows, undefined, readAt)], asked: 1, changed: [] }
  while (list.pages.length < pages)
    list = withMore(list, read(rows, list.pages.at(-1)?.next ?? '', readAt))
  return list
}
const refresh = (list: List, rows: readonly number[], now = NOW): List => {
  const cursors = furtherToRead(list, now).map((place) => list.pages[place]?.cursor)
  expect(cursors.length).toBeLessThanOrEqual(FURTHER_PAGES_MAX)
  return withRead(
    list,
    [undefined, ...cursors].map((cursor) => read(rows, cursor, now)),
  )
}

test('what comes in on top of many pages pushes nothing out of them, however often', () => {
  const rows = numbers(100)
  let list = open(rows, 10)
  for (let count = 0; count < 40; count += 1) {
    rows.unshift(...numbers(count % 4).map((each) => 1_000 + count * 9 + each))
    list = refresh(list, rows)
    expect(rowsOf(list)).toEqual(rows.slice(0, rows.length - 50))
  }
  // Small pieces are one page again.
  expect(list.pages.length).toBeLessThan(10 + 2 * (60 / SIZE))
})

test('whoever shows one page sees that one, and what comes behind the last goes on there', () => {
  const list = refresh(open(numbers(20), 1), numbers(23))
  expect(rowsOf(list)).toEqual([23, 22, 21, 20, 19])
  expect(rowsOf(withMore(list, read(numbers(23), list.pages.at(-1)?.next ?? '')))).toEqual(
    numbers(23).slice(0, 10),
  )
})

test('more than a page of new rows is read in a few refreshes, and nothing behind them is lost', () => {
  const rows = [...numbers(40).map((row) => row + 100), ...numbers(40)]
  let list = refresh(open(numbers(40), 4), rows)
  expect(rowsOf(list)).toEqual([...rows.slice(0, 5), ...numbers(40).slice(0, 20)])
  for (let count = 0; count < 40 / SIZE && isBehind(list); count += 1) list = refresh(list, rows)
  expect(isBehind(list)).toBe(false)
  expect(rowsOf(list)).toEqual(rows.slice(0, 60))
})

test('rows that left are gone, whichever page they were on, and no row is there twice', () => {
  const rows = numbers(40)
  const list = withChanged(open(rows, 4), new Set(['38', '32', '21']))
  const left = rows.filter((row) => ![38, 32, 21].includes(row))
  const now = refresh(list, left)
  expect(rowsOf(now)).toEqual(left.slice(0, left.indexOf(20) + 1))
  expect(isBehind(now)).toBe(false)
})

test('a row that is named is read again, those of many pages in several refreshes', () => {
  const names = new Set(['39', '31', '22', '18', '3', 'acct_of another list'])
  let list = withChanged(open(numbers(50), 9), names)
  expect(list.changed).toEqual(['39', '31', '22', '18'])
  expect(furtherToRead(list, NOW)).toEqual([2, 3])
  list = refresh(list, numbers(50))
  expect(list.changed).toEqual(['22', '18'])
  list = refresh(list, numbers(50))
  expect(isBehind(list)).toBe(false)
})

test('one that new rows push behind the first page as it changes is read there', () => {
  const list = refresh(withChanged(open(numbers(20), 3), new Set(['17'])), numbers(23))
  expect(list.changed).toEqual(['17'])
  expect(refresh(list, numbers(23)).changed).toEqual([])
})

test('pages that nothing names are read in turn once they are old', () => {
  let list = open(numbers(50), 6)
  expect(furtherToRead(list, NOW)).toEqual([])
  const later = NOW + 60_000
  const turns = [1, 2, 3].map(() => {
    const places = furtherToRead(list, later)
    list = refresh(list, numbers(50), later)
    return places
  })
  expect(turns).toEqual([[1, 2], [3, 4], [5]])
})

test('an end that was reached is the end, and a list that shrank is no longer than it is', () => {
  expect(refresh(open(numbers(20), 4), numbers(3)).pages).toHaveLength(1)
  expect(rowsOf(refresh(open([], 1), numbers(3)))).toEqual([3, 2, 1])
})

test('a list grows by so many pages and lets go of its end, where it goes on', () => {
  const rows = numbers(50)
  let list = open(rows, 10)
  for (let count = 0; count < 200; count += 1) {
    rows.unshift(51 + count * 2 + 1, 51 + count * 2)
    list = refresh(list, rows)
  }
  expect(list.pages.length).toBeLessThanOrEqual(10 + GROWN_PAGES_MAX)
  const shown = rowsOf(list)
  expect(shown).toEqual(rows.slice(0, shown.length))
  expect(rowsOf(withMore(list, read(rows, list.pages.at(-1)?.next ?? '')))).toEqual(
    rows.slice(0, shown.length + SIZE),
  )
})
