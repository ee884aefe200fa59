import { posix } from 'node:path'
import type { SourceFile } from './source.ts'

/** What the commands and links of a document must agree with. */
export interface Repository {
  readonly scripts: ReadonlySet<string>
  readonly files: ReadonlySet<string>
  /** Names of the florin commands, of one or two words. */
  readonly commands: ReadonlySet<string>
}

const FENCE = /^```(?:sh|bash|shell|console)[^\n]*\n(.*?)^```/gms
const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g
const NPM_OWN = new Set(['ci', 'install', 'start', 'test'])

/** The commands of a document's shell blocks, without comments, prompts and the pieces after a pipe. */
export function shellCommands(markdown: string): readonly string[] {
  return [...markdown.matchAll(FENCE)]
    .flatMap(([, block = '']) => block.replaceAll('\\\n', ' ').split('\n'))
    .flatMap((line) =>
      line
        .replace(/^\$ /, '')
        .replace(/\s#\s.*$/, '')
        .split(/\s*(?:&&|;|\|)\s*/),
    )
    .flatMap((part) => [
      part,
      ...[...part.matchAll(/\$\(([^)]+)\)/g)].map(([, inner = '']) => inner),
    ])
    .map((command) => command.trim())
    .filter((command) => command !== '' && !command.startsWith('#'))
}

function commandProblem(command: string, { scripts, files, commands }: Repository) {
  const [program = '', first = '', second = '', third = ''] = command.split(/\s+/)
  const florin = (...words: string[]) =>
    commands.has(words[0] ?? '') || commands.has(words.join(' '))
      ? undefined
      : `florin has no such command: ${command}`
  if (program === 'npm') {
    if (first === 'run') return scripts.has(second) ? undefined : `no such script: ${command}`
    if (!NPM_OWN.has(first)) return `not a command of npm that we use: ${command}`
    return first === 'start' || first === 'test'
      ? scripts.has(first)
        ? undefined
        : `no such script: ${command}`
      : undefined
  }
  if (program === 'npx') return first === 'florin' ? florin(second, third) : `not ours: ${command}`
  if (program === 'florin') return florin(first, second)
  if (program !== 'node') return undefined
  if (!files.has(first)) return `no such file: ${command}`
  if (first !== 'bin/florin.js') return undefined
  if (second !== 'exec') return florin(second, third)
  return files.has(third) || third.startsWith('node_modules/')
    ? undefined
    : `no such file: ${command}`
}

/** Commands of a document that name a script, a file or a florin command that does not exist. */
export function commandProblems(page: SourceFile, repository: Repository): readonly string[] {
  return shellCommands(page.text).flatMap((command) => {
    const problem = commandProblem(command, repository)
    return problem === undefined ? [] : [`${page.path}: ${problem}`]
  })
}

/** Relative links of a document that lead to no file or folder. */
export function brokenLinks(page: SourceFile, files: ReadonlySet<string>): readonly string[] {
  const folders = new Set<string>()
  for (const file of files) {
    for (let folder = posix.dirname(file); folder !== '.'; folder = posix.dirname(folder)) {
      folders.add(folder)
    }
  }
  return [...page.text.matchAll(LINK)].flatMap(([, link = '']) => {
    if (/^([a-z]+:|#)/.test(link)) return []
    const [target = ''] = link.split('#')
    const path = posix.join(posix.dirname(page.path), target).replace(/\/$/, '')
    return files.has(path) || folders.has(path) ? [] : [`${page.path}: no such file: ${link}`]
  })
}
