import { expect, test } from 'vitest'
import { indentedCode, lostAnchors } from './document-form.ts'
import { repositoryFiles } from './source.ts'

const pages = repositoryFiles().filter(({ path }) => path.endsWith('.md'))

test('rule: blocks of code in documents begin at the left edge', () => {
  expect(pages.flatMap(indentedCode)).toEqual([])
})

test('rule: a link to a heading leads to one', () => {
  expect(pages.flatMap((page) => lostAnchors(page, pages))).toEqual([])
})

test('a block of code inside a list is found', () => {
  const text = ['1. Do this:', '', '   ```sh', '   ls', '   ```', '', '```sh', 'ls', '```'].join(
    '\n',
  )
  expect(indentedCode({ path: 'docs/a.md', text })).toEqual([
    'docs/a.md:3: a block of code that is indented',
    'docs/a.md:5: a block of code that is indented',
  ])
})

test('a link to a heading that is gone is found, here and in another document', () => {
  const here = {
    path: 'docs/guides/a.md',
    text: '# A\n[1](#a) [2](#b) [3](../b.md#two-words) [4](../b.md#three) [5](../b.ts#x) [6](https://c.example/#y)\n```sh\n# b\n```',
  }
  const there = { path: 'docs/b.md', text: '# B\n## Two `words`\n' }
  expect(lostAnchors(here, [here, there])).toEqual([
    'docs/guides/a.md: no such heading: #b',
    'docs/guides/a.md: no such heading: ../b.md#three',
  ])
})
