import { endpoints } from '@florin/wire/endpoints.ts'
import { expect, test } from 'vitest'
import { deprecatedRowProblems } from './deprecations.ts'
import { repositoryFiles } from './source.ts'

const DAY = 24 * 60 * 60 * 1000

test('rule: what is deprecated has 90 days, a guide and a line in the change log', () => {
  expect(deprecatedRowProblems(Object.values(endpoints), repositoryFiles())).toEqual([])
})

test('a row that ends too soon, without guide or announcement, is found', () => {
  const deprecated = {
    sinceMilliseconds: 0,
    sunsetMilliseconds: 90 * DAY,
    guide: '/docs/guides/new',
  }
  const row = { id: 'oldOne', path: '/old/{id}', deprecated }
  const files = [
    { path: 'docs/guides/new.md', text: '# New\n' },
    {
      path: 'CHANGELOG.md',
      text: '### Deprecated\n\n- `GET /old/{id}`: use the new one.\n\n### Fixed\n',
    },
  ]
  expect(deprecatedRowProblems([row], files)).toEqual([])
  const soon = { ...row, deprecated: { ...deprecated, sunsetMilliseconds: 90 * DAY - 1 } }
  expect(deprecatedRowProblems([soon], files)).toHaveLength(1)
  expect(deprecatedRowProblems([soon], files)[0]).toMatch(/^oldOne: ends 89\.9/)
  expect(deprecatedRowProblems([row], files.slice(1))).toEqual([
    'oldOne: has no document /docs/guides/new',
  ])
  const elsewhere = {
    path: 'CHANGELOG.md',
    text: '### Deprecated\n\n- another\n\n### Fixed\n\n- /old/{id}\n',
  }
  expect(deprecatedRowProblems([row], [files[0] ?? elsewhere, elsewhere])).toEqual([
    'oldOne: is not under Deprecated in CHANGELOG.md',
  ])
  const nowhere = { ...row, deprecated: { ...deprecated, guide: 'https://else.example' } }
  expect(deprecatedRowProblems([nowhere], files)).toContain('oldOne: has no guide below /docs')
})
