import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lintFile } from './lint.ts'
import { root } from './tool.ts'

const FIXTURE = 'checks/fixtures/floating-promises.ts'

test('the linter finds every promise that nobody waits for', async () => {
  const lines = (await readFile(join(root, FIXTURE), 'utf8')).split('\n')
  const expected = lines.flatMap((text, index) => {
    const rule = /\/\/ (floats|misused)$/.exec(text)?.[1]
    if (rule === 'floats') return [{ line: index + 1, rule: 'typescript(no-floating-promises)' }]
    // The comment stands alone, above the call.
    if (rule === 'misused') return [{ line: index + 2, rule: 'typescript(no-misused-promises)' }]
    return []
  })
  expect(expected).toHaveLength(5)
  expect(await lintFile(FIXTURE)).toEqual(expected)
})
