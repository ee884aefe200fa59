import { expect, test } from 'vitest'
import type { AccountId } from '../kernel/id.ts'
import { resolveKeys } from './subscription-keys.ts'

const accountId = 'acct_1111111111111111111111' as AccountId

test('all addresses of a message are looked up at once, and channels are not', async () => {
  const asked: (readonly string[])[] = []
  const deps = {
    findAddresses: async (_: AccountId, texts: readonly string[]) => {
      asked.push(texts)
      return texts.map((text) => (text === 'NOBODY' ? undefined : text.toLowerCase()))
    },
  }
  const addresses = Array.from({ length: 98 }, (_, index) => `A${index}`)
  const keys = await resolveKeys(deps, accountId, ['payments', ...addresses, 'settlements'])
  expect(keys).toEqual(['payments', ...addresses.map((one) => one.toLowerCase()), 'settlements'])
  expect(asked).toEqual([addresses])
  await expect(resolveKeys(deps, accountId, ['payments', 'A', 'NOBODY'])).rejects.toMatchObject({
    code: 'NOT_FOUND',
    details: { 'keys[2]': expect.any(String) },
  })
  await resolveKeys(deps, accountId, ['payments'])
  expect(asked).toHaveLength(2)
})
