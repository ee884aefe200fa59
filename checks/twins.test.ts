import { expect, test } from 'vitest'
import { repositoryFiles } from './source.ts'
import { missingTwins } from './twins.ts'

const files = (...names: string[]) =>
  names.map((name) => ({ path: `server/src/chains/${name}`, text: '' }))

test('rule: the chain families carry the same files', () => {
  expect(missingTwins(repositoryFiles())).toEqual([])
})

test('a verb that one family lacks is found, a named extra and a test are not', () => {
  const both = files(
    'evm/fees.ts',
    'evm/hex.ts',
    'evm/fees.test.ts',
    'solana/fees.ts',
    'solana/memo.ts',
  )
  expect(missingTwins(both, { 'evm/hex.ts': 'only EVM speaks hex' })).toEqual([
    'chains/solana/memo.ts has no twin in chains/evm',
  ])
})

test('one family alone has no twin to miss', () => {
  expect(missingTwins(files('evm/fees.ts'))).toEqual([])
})
