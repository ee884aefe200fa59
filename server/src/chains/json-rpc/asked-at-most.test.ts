import { expect, test } from 'vitest'
import { askedAtMost } from './asked-at-most.ts'

test('so many wait at most, whatever becomes of them, and one more is refused at once', async () => {
  const inBounds = askedAtMost(2)
  const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const waiting = answers.map(({ promise }) => inBounds(() => promise))
  const ask = () => inBounds(async () => 'answered')
  await expect(ask()).rejects.toThrow('too many wait for the node')
  answers[0]?.resolve('good')
  answers[1]?.reject(new Error('bad'))
  await expect(waiting[0]).resolves.toBe('good')
  await expect(waiting[1]).rejects.toThrow('bad')
  expect(await Promise.all([ask(), ask()])).toEqual(['answered', 'answered'])
  await expect(ask()).resolves.toBe('answered')
})
