import { COMMANDS } from '@florin/cli/commands.ts'
import { expect, test } from 'vitest'
import { isRecord } from './record.ts'
import { brokenLinks, commandProblems, shellCommands } from './readme.ts'
import type { Repository } from './readme.ts'
import { repositoryFiles } from './source.ts'

const all = repositoryFiles()
const pages = all.filter(({ path }) => path.endsWith('.md'))
const files = new Set(all.map(({ path }) => path))
const text = (path: string) => all.find((file) => file.path === path)?.text ?? ''

const manifest: unknown = JSON.parse(text('package.json'))
const scripts = isRecord(manifest) && isRecord(manifest['scripts']) ? manifest['scripts'] : {}
const repository: Repository = {
  files,
  scripts: new Set(Object.keys(scripts)),
  commands: new Set(COMMANDS.map(({ name }) => name)),
}

test('rule: the README begins with the commands that install, start and test', () => {
  const commands = shellCommands(text('README.md'))
  for (const command of ['npm ci', 'npm start', 'npm test']) expect(commands).toContain(command)
})

test('rule: every command in a document names a script, file or florin command that exists', () => {
  expect(pages.flatMap((page) => commandProblems(page, repository))).toEqual([])
})

test('rule: every relative link in a document leads somewhere', () => {
  expect(pages.flatMap((page) => brokenLinks(page, files))).toEqual([])
})

test('a command that does not exist is found, whatever stands around it', () => {
  const page = {
    path: 'README.md',
    text: [
      '```sh',
      'npm ci && npm run nothing   # comment',
      '$ node missing.ts',
      'eval "$(npx florin nothing)"',
      'npx florin keys create --name shop',
      'npx florin keys forge',
      'node bin/florin.js exec nowhere.ts',
      'curl http://127.0.0.1:4020 | jq .',
      '```',
      '```json',
      'npm run not-a-command',
      '```',
    ].join('\n'),
  }
  expect(commandProblems(page, { ...repository, scripts: new Set(['test']) })).toEqual([
    'README.md: no such script: npm run nothing',
    'README.md: no such file: node missing.ts',
    'README.md: florin has no such command: npx florin nothing',
    'README.md: florin has no such command: npx florin keys forge',
    'README.md: no such file: node bin/florin.js exec nowhere.ts',
  ])
})

test('a link to nowhere is found; links to folders, anchors and other sites are left alone', () => {
  const page = {
    path: 'docs/start.md',
    text: '[a](../README.md#run) [b](gone.md) [c](errors/) [d](https://example.com) [e](#here)',
  }
  const known = new Set(['README.md', 'docs/errors/NOT_FOUND.md'])
  expect(brokenLinks(page, known)).toEqual(['docs/start.md: no such file: gone.md'])
})
