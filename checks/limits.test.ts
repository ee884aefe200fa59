import { limits } from '@florin/server/kernel/limits.ts'
import { expect, test } from 'vitest'
import { unusedLimits } from './limits.ts'
import { repositoryFiles } from './source.ts'

test('rule: every named limit is used by the code', () => {
  expect(unusedLimits(Object.keys(limits), repositoryFiles())).toEqual([])
})

test('a limit that only a comment, a test or its own file names is found', () => {
  const files = [
    { path: 'server/src/http/read.ts', text: 'read(limits.bodyBytesMax) // limits.waitersMax' },
    { path: 'server/src/http/read.test.ts', text: 'limits.waitersMax' },
    { path: 'server/src/kernel/limits.ts', text: 'export const limits = { waitersMax: 1 }' },
  ]
  expect(unusedLimits(['bodyBytesMax', 'waitersMax'], files)).toEqual(['waitersMax'])
})
