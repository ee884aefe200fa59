import { expect, test } from 'vitest'
import { casts } from './casts.ts'
import { repositoryFiles } from './source.ts'

const found = (text: string, path = 'server/src/a.ts') => casts([{ path, text }])

test('rule: nothing switches the type checker or the linter off', () => {
  expect(casts(repositoryFiles())).toEqual([])
})

test('any, double casts and directives are found', () => {
  expect(found('const a = b as any')).toEqual(['server/src/a.ts:1: any'])
  expect(found('function f(a: any): Promise<any> {}')).toHaveLength(2)
  expect(found('type A = Record<string, any> | any')).toHaveLength(2)
  expect(found('const a = b as unknown as Address')).toEqual([
    'server/src/a.ts:1: as unknown as Address',
  ])
  expect(found('\n// @ts-ignore')).toEqual(['server/src/a.ts:2: @ts-ignore'])
  expect(found('// @ts-expect-error: on purpose')).toHaveLength(1)
  expect(found('// @ts-expect-error: on purpose', 'wire/src/a.test-d.ts')).toEqual([])
})

test('the word in prose, in strings and as a name is not a cast', () => {
  expect(
    found(`// takes any bytes\nconst a = 'as any'\nPromise.any([a])\nexpect.any(String)`),
  ).toEqual([])
})
