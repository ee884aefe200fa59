import { posix } from 'node:path'
import { isCode, isTest } from './source.ts'
import type { SourceFile } from './source.ts'

export const FILE_LINES_MAX = 400
export const MEDIAN_LINES_MAX = 90
export const LINE_COLUMNS_MAX = 140

const BANNED_FOLDERS = new Set(['utils', 'helpers', 'common', 'services', 'models', 'lib', 'misc'])

const lineCount = (text: string) => text.split('\n').length - (text.endsWith('\n') ? 1 : 0)

/** How files begin that a test of ours writes: nobody reads them in one go. */
const MADE = '// Made from '

/** Code files longer than the cap. */
export function longFiles(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter((file) => isCode(file) || file.path.endsWith('.sol'))
    .filter(({ text }) => lineCount(text) > FILE_LINES_MAX && !text.startsWith(MADE))
    .map(({ path, text }) => `${path}: ${lineCount(text)} lines, at most ${FILE_LINES_MAX}`)
}

/** Workspaces whose middle source file is too long; tests do not count. */
export function longMedians(files: readonly SourceFile[]): readonly string[] {
  const workspaces = Map.groupBy(
    files.filter((file) => isCode(file) && !isTest(file) && file.path.includes('/src/')),
    ({ path }) => path.slice(0, path.indexOf('/')),
  )
  return [...workspaces].flatMap(([workspace, members]) => {
    const sizes = members.map(({ text }) => lineCount(text)).sort((left, right) => left - right)
    const median = sizes[Math.floor(sizes.length / 2)] ?? 0
    return median > MEDIAN_LINES_MAX
      ? [`${workspace}: the median file has ${median} lines, at most ${MEDIAN_LINES_MAX}`]
      : []
  })
}

/** Lines that the formatter could not break (long strings, comments) and that nobody can read on one screen. */
export function wideLines(files: readonly SourceFile[]): readonly string[] {
  return files.filter(isCode).flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const problem = `${path}:${index + 1}: ${line.length} columns, better at most ${LINE_COLUMNS_MAX}`
      return line.length > LINE_COLUMNS_MAX ? [problem] : []
    }),
  )
}

/** Barrels, folders that name no idea, and names that are not in kebab case. */
export function badNames(files: readonly SourceFile[]): readonly string[] {
  return files.filter(isCode).flatMap(({ path }) => {
    const name = posix.basename(path)
    const problems: string[] = []
    const folder = posix
      .dirname(path)
      .split('/')
      .find((part) => BANNED_FOLDERS.has(part))
    if (folder !== undefined) problems.push(`${path}: "${folder}" names no idea`)
    if (/^index\.[a-z]+$/.test(name))
      problems.push(`${path}: import the file that defines the thing`)
    if (!/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)*\.(tsx?|js)$/.test(name)) {
      problems.push(`${path}: file names are in kebab case`)
    }
    return problems
  })
}
