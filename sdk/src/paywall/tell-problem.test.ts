import { afterEach, expect, test, vi } from 'vitest'
import { FlorinError } from '../florin-error.ts'
import { tellProblem } from './tell-problem.ts'

afterEach(() => vi.restoreAllMocks())

test('a seller who listens to nothing reads once what the key lacks', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const lacking = new FlorinError({
    code: 'FORBIDDEN',
    message: 'The scopes do not include this.',
    details: { scope: 'needs settle' },
  })
  await tellProblem({}, 'FORBIDDEN', lacking)
  await tellProblem({}, 'FORBIDDEN', lacking)
  expect(printed.mock.calls).toEqual([
    ['paywall: FORBIDDEN', 'The scopes do not include this.', '{"scope":"needs settle"}'],
  ])
})
