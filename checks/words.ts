import type { SourceFile } from './source.ts'

/** What has no place in the repository: paths of one machine, hosts that only installing needs, work left over. */
const FORBIDDEN: readonly { readonly pattern: RegExp; readonly reason: string }[] = [
  {
    pattern: /(?<![\w.-])\/(work|root|Users)\/|\/home\/(?!\$)\w+\//,
    reason: 'a path of one machine',
  },
  { pattern: /\bregistry\.(npmjs|yarnpkg)\.\w+/, reason: 'a registry host' },
  { pattern: /\b(TODO|FIXME|XXX|HACK)\b/, reason: 'left over work' },
  {
    pattern: /\b(issue|ticket|pull request|PR) ?#\d+/i,
    reason: 'a number that means nothing here',
  },
]
/** These name the words in order to forbid them. */
const OWN = /^checks\/words(\.test)?\.ts$/

export function forbiddenWords(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter(({ path }) => !OWN.test(path) && path !== 'LICENSE')
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, index) =>
        FORBIDDEN.flatMap(({ pattern, reason }) => {
          const word = pattern.exec(line)?.[0]
          return word === undefined ? [] : [`${path}:${index + 1}: ${reason}: ${word}`]
        }),
      ),
    )
}
