import { catalogue } from '@florin/wire/errors.ts'
import { expect, test } from 'vitest'
import { errorDocProblems } from './error-docs.ts'
import { repositoryFiles } from './source.ts'

test('rule: every error code has its page in docs/errors, and every page its code', () => {
  expect(errorDocProblems(catalogue, repositoryFiles())).toEqual([])
})

test('a missing, a stray and a mislabelled page are found', () => {
  const codes = { RATE_LIMIT: { status: 429 }, NOT_FOUND: { status: 404 } }
  const files = [
    { path: 'docs/errors/RATE_LIMIT.md', text: '# NOT_FOUND\n' },
    { path: 'docs/errors/GONE.md', text: '# GONE\n' },
  ]
  expect(errorDocProblems(codes, files)).toEqual([
    'docs/errors/GONE.md: there is no such code',
    'docs/errors/RATE_LIMIT.md: begins with "# RATE_LIMIT"',
    'docs/errors/RATE_LIMIT.md: names its status 429',
    'docs/errors/NOT_FOUND.md is missing',
  ])
  expect(
    errorDocProblems({ RATE_LIMIT: { status: 429 } }, [
      { path: 'docs/errors/RATE_LIMIT.md', text: '# RATE_LIMIT\n\nHTTP 429.\n' },
    ]),
  ).toEqual([])
})
