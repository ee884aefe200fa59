import { SETTINGS } from '@florin/server/config.ts'
import { expect, test } from 'vitest'
import { parseEnvExample, unexplainedVariables } from './environment.ts'
import { repositoryFiles } from './source.ts'

const files = repositoryFiles()
const example = files.find(({ path }) => path === '.env.example')?.text ?? ''

test('rule: .env.example names exactly the variables that the service reads, in the same order', () => {
  const { names, problems } = parseEnvExample(example)
  expect(problems).toEqual([])
  expect(names).toEqual([...SETTINGS])
})

test('rule: no code reads a variable of ours that .env.example does not explain', () => {
  expect(unexplainedVariables(SETTINGS, files)).toEqual([])
})

test('a broken line and an unexplained variable are found', () => {
  expect(parseEnvExample('# text\n\nFLORIN_PORT=4020\nexport X=1\nEMPTY=\n')).toEqual({
    names: ['FLORIN_PORT', 'EMPTY'],
    problems: ['.env.example:4: not NAME=value: export X=1'],
  })
  expect(
    unexplainedVariables(
      ['FLORIN_PORT'],
      [{ path: 'cli/src/a.ts', text: `env['FLORIN_PORT']\nenv.FLORIN_SECRET // FLORIN_OTHER` }],
    ),
  ).toEqual(['cli/src/a.ts:2: FLORIN_SECRET is not in .env.example'])
})
