import { expect, test } from 'vitest'
import { repositoryFiles } from './source.ts'
import {
  badNames,
  FILE_LINES_MAX,
  LINE_COLUMNS_MAX,
  longFiles,
  longMedians,
  MEDIAN_LINES_MAX,
  wideLines,
} from './tidy.ts'

const files = repositoryFiles()
const long = (path: string, lines: number) => ({ path, text: 'x\n'.repeat(lines) })

test(`rule: no code file has more than ${FILE_LINES_MAX} lines`, () => {
  expect(longFiles(files)).toEqual([])
})

test('a code file one line over the cap is found, one at the cap is not', () => {
  expect(longFiles([long('cli/src/main.ts', FILE_LINES_MAX + 1)])).toEqual([
    'cli/src/main.ts: 401 lines, at most 400',
  ])
  expect(longFiles([long('cli/src/main.ts', FILE_LINES_MAX)])).toEqual([])
})

test(`rule: the median source file of a workspace has at most ${MEDIAN_LINES_MAX} lines`, () => {
  expect(longMedians(files)).toEqual([])
})

test('a workspace of middling long files is found; its tests do not make it look better', () => {
  const sources = [60, 91, 200].map((lines, index) => long(`server/src/file-${index}.ts`, lines))
  const tests = [1, 1, 1].map((lines, index) => long(`server/src/file-${index}.test.ts`, lines))
  expect(longMedians([...sources, ...tests])).toEqual([
    'server: the median file has 91 lines, at most 90',
  ])
  expect(longMedians(sources.slice(0, 1))).toEqual([])
})

test('rule: no barrels, no folders that name no idea, file names in kebab case', () => {
  expect(badNames(files)).toEqual([])
})

test('a barrel, a catch-all folder and a name in another case are found', () => {
  const named = (path: string) => badNames([{ path, text: '' }])
  expect(named('wire/src/index.ts')).toEqual([
    'wire/src/index.ts: import the file that defines the thing',
  ])
  expect(named('server/src/utils/hex.ts')).toEqual([
    'server/src/utils/hex.ts: "utils" names no idea',
  ])
  expect(named('server/src/http/strictJson.ts')).toEqual([
    'server/src/http/strictJson.ts: file names are in kebab case',
  ])
  expect(named('server/src/http/strict-json.property.test.ts')).toEqual([])
})

test(`advice, not a rule: lines of at most ${LINE_COLUMNS_MAX} columns`, () => {
  const wide = wideLines(files)
  if (wide.length > 0) process.stdout.write(`${wide.join('\n')}\n`)
  expect(wideLines([{ path: 'a.ts', text: 'x'.repeat(141) }])).toHaveLength(1)
  expect(wideLines([{ path: 'a.ts', text: 'x'.repeat(140) }])).toEqual([])
})
