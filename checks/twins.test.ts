import { expect, test } from 'vitest'
import { repositoryFiles } from './source.ts'
import { EXTRAS, missingTwins } from './twins.ts'

/** A family whose connect.ts puts these files together. */
const family = (name: string, ...parts: string[]) => ({
  path: `server/src/chains/${name}/connect.ts`,
  text: parts.map((part) => `import { part } from '${part}'\n`).join(''),
})

test('rule: the chain families carry the same files', () => {
  expect(missingTwins(repositoryFiles())).toEqual([])
})

test('rule: every extra is one', () => {
  const needless = Object.keys(EXTRAS).filter((name) => {
    const { [name]: _, ...others } = EXTRAS
    return missingTwins(repositoryFiles(), others).length === 0
  })
  expect(needless).toEqual([])
})

test('a verb that one family lacks is found, a named extra and what is shared are not', () => {
  const both = [
    family('evm', './fees.ts', './hex.ts', '../json-rpc/transport.ts'),
    family('solana', './fees.ts', './memo.ts'),
  ]
  expect(missingTwins(both, { 'evm/hex.ts': 'only EVM speaks hex' })).toEqual([
    'chains/solana/memo.ts has no twin in chains/evm',
  ])
})

test('one family alone has no twin to miss', () => {
  expect(missingTwins([family('evm', './fees.ts')])).toEqual([])
})
