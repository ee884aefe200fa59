import { SERVED_FOLDERS } from '@florin/server/reference/document-library.ts'
import { expect, test } from 'vitest'
import { missingDocuments } from './named-documents.ts'
import { isCode, isTest, repositoryFiles } from './source.ts'

const all = repositoryFiles()
const files = new Set(all.map(({ path }) => path))
const code = all.filter((file) => isCode(file) && !isTest(file))

test('rule: a document that the code names is there, and a page that the dashboard links is served', () => {
  expect(code.flatMap((file) => missingDocuments(file, files, SERVED_FOLDERS))).toEqual([])
})

test('rule: what the dashboard says to read is a link', () => {
  const doctor = code.find(({ path }) => path === 'dashboard/src/pages/system-doctor.tsx')
  expect(doctor?.text).toContain('href="/docs/operating/doctor"')
})

test('a document that is not there is found, and one that is not served', () => {
  const file = {
    path: 'dashboard/src/page.tsx',
    text: [
      "'docs/operating/logs.md says it, docs/operating/gone.md does not.'",
      '<a href="/docs"><a href="/docs/operating/logs#lines"><a href="/docs/operating/gone"><a href="/docs/decisions/0001-a">',
    ].join('\n'),
  }
  const known = new Set(['docs/operating/logs.md', 'docs/decisions/0001-a.md'])
  expect(missingDocuments(file, known, ['operating'])).toEqual([
    'dashboard/src/page.tsx: no such document: docs/operating/gone.md',
    'dashboard/src/page.tsx: not served: /docs/operating/gone',
    'dashboard/src/page.tsx: not served: /docs/decisions/0001-a',
  ])
})
