import { expect, test } from 'vitest'
import { decisionProblems } from './decisions.ts'
import { repositoryFiles } from './source.ts'

const template = repositoryFiles().filter(({ path }) => path === 'docs/decisions/0000-template.md')

test('rule: decision records are numbered without gaps, short, and say the four things', () => {
  expect(template).toHaveLength(1)
  expect(decisionProblems(repositoryFiles())).toEqual([])
})

test('a gap, a missing heading and an essay are found', () => {
  const text = `# 0002 We do this\n\n## Context\n${'a\n'.repeat(40)}`
  expect(decisionProblems([...template, { path: 'docs/decisions/0002-this.md', text }])).toEqual([
    'docs/decisions/0002-this.md: is not number 0001',
    'docs/decisions/0002-this.md: begins with "# 0001" and a sentence',
    expect.stringContaining('has the headings'),
    'docs/decisions/0002-this.md: is longer than 40 lines',
  ])
})
