import { expect, test } from 'vitest'
import { givens } from './snippet-givens.ts'
import { snippetProblems, snippetsOf } from './snippets.ts'
import { repositoryFiles } from './source.ts'

test('rule: every block of TypeScript in a document type-checks as it is printed', async () => {
  const snippets = snippetsOf(repositoryFiles())
  const names = new Set(snippets.map(({ name }) => name))
  expect(Object.keys(givens).filter((name) => !names.has(name))).toEqual([])
  expect(await snippetProblems(snippets, givens)).toEqual([])
}, 180_000)

test('a block that does not is found by its place, whatever stands around it', async () => {
  const text = ['# A', '```ts', 'const one: number = 1', '```', '```sh', 'no', '```'].join('\n')
  const bad = ['```ts', 'const two = one + 1', 'const three: string = two', '```', ''].join('\n')
  const files = [
    { path: 'docs/guides/a.md', text: `${text}\n${bad}` },
    { path: 'docs/decisions/0001-a.md', text: bad },
  ]
  const snippets = snippetsOf(files)
  expect(snippets.map(({ name }) => name)).toEqual(['docs/guides/a.md 1', 'docs/guides/a.md 2'])
  const given = { 'docs/guides/a.md 2': 'declare const one: number' }
  expect(await snippetProblems(snippets, given)).toEqual([
    "docs/guides/a.md 2, line 2: error TS2322: Type 'number' is not assignable to type 'string'.",
  ])
}, 180_000)
