import { catalogue } from '@florin/wire/errors.ts'
import { expect, test } from 'vitest'
import { errorDocProblems, unansweredCodes } from './error-docs.ts'
import { repositoryFiles } from './source.ts'

test('rule: every error code has its page in docs/errors, and every page its code', () => {
  expect(errorDocProblems(catalogue, repositoryFiles())).toEqual([])
})

test('rule: a code that nothing answers is not described as if something did', () => {
  expect(unansweredCodes(catalogue, repositoryFiles())).toEqual([])
})

test('a code that only a test and the edge name is found, one that its page calls kept is not', () => {
  const codes = { GONE: { status: 409 }, KEPT: { status: 409 }, USED: { status: 409 } }
  const page = (code: string, text: string) => ({ path: `docs/errors/${code}.md`, text })
  const files = [
    page('GONE', '# GONE\n'),
    page('KEPT', '# KEPT\n\nIt is kept: no operation\nof the API gives it today.\n'),
    page('USED', '# USED\n'),
    { path: 'server/src/http/problem.ts', text: "'GONE'" },
    { path: 'server/src/payments/send.test.ts', text: "'GONE'" },
    { path: 'server/src/payments/send.ts', text: "new Refusal('USED')" },
  ]
  expect(unansweredCodes(codes, files)).toEqual([
    'docs/errors/GONE.md: nothing answers it, so the page says "no operation of the API gives it today"',
  ])
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
