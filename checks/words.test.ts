import { expect, test } from 'vitest'
import { repositoryFiles } from './source.ts'
import { forbiddenWords } from './words.ts'

test('rule: no machine paths, registry hosts or left over work in any file', () => {
  expect(forbiddenWords(repositoryFiles())).toEqual([])
})

test('each kind of forbidden word is found with its line', () => {
  const text = [
    'see /work/main',
    'cd /home/ada/florin',
    'https://registry.npmjs.org/x',
    '// TODO later',
    'fixes issue #12',
    'a framework/module and a todo list are fine, and so is EIP-3009',
  ].join('\n')
  expect(forbiddenWords([{ path: 'docs/a.md', text }])).toEqual([
    'docs/a.md:1: a path of one machine: /work/',
    'docs/a.md:2: a path of one machine: /home/ada/',
    'docs/a.md:3: a registry host: registry.npmjs.org',
    'docs/a.md:4: left over work: TODO',
    'docs/a.md:5: a number that means nothing here: issue #12',
  ])
})
