import { SETTINGS } from '@florin/server/settings.ts'
import { unknownSettings } from '@florin/cli/unknown-settings.ts'
import { expect, test } from 'vitest'
import { namedVariables, parseEnvExample, unexplainedVariables } from './environment.ts'
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

/** Records tell of what others set. */
const isNoRecord = ({ path }: { readonly path: string }) => !path.startsWith('docs/decisions/')

test('rule: whoever sets what a document names is not told that nobody knows it', () => {
  const names = namedVariables(files.filter(isNoRecord))
  expect(names.length).toBeGreaterThan(30)
  const told = names.flatMap((name) => unknownSettings({ [name]: 'x' }))
  expect(told).toEqual([])
})

test('variables that documents and examples name are found once, whole', () => {
  const text = 'set `FLORIN_A_1`, $FLORIN_A_1 or FLORIN_B=2; FLORIN_* and MY_FLORIN_C are others'
  const found = namedVariables([
    { path: 'docs/a.md', text },
    { path: 'cli/src/a.ts', text: 'FLORIN_D' },
  ])
  expect(found).toEqual(['FLORIN_A_1', 'FLORIN_B'])
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
