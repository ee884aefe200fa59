import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { ApiError, noAnswer } from './api-error.ts'
import { againMilliseconds } from './read-again.ts'
import { markChanged } from './use-pages.ts'

const refused = (status: number) => new ApiError({ code: 'INTERNAL_ERROR', message: 'no', status })
const failed = (error: Error, isShown = true) =>
  againMilliseconds({ state: { status: 'error', error, data: isShown ? 'rows' : undefined } })

test('what is shown and could not be read anew is tried again, unless the service refuses it', () => {
  expect([noAnswer(), refused(503), refused(429)].map((each) => failed(each))).toEqual([
    10_000, 10_000, 10_000,
  ])
  expect(
    [refused(403), refused(404), new Error('of this page')].map((each) => failed(each)),
  ).toEqual([false, false, false])
  expect(failed(noAnswer(), false)).toBe(false)
  expect(againMilliseconds({ state: { status: 'success', error: null, data: 1 } })).toBe(false)
})

test('an event names rows of a list that could not be read anew, which it stays', async () => {
  const client = new QueryClient()
  const queryKey = ['GET /payments', { pagesOf: 'all' }]
  const entries = [{ id: 'pay_1', at: 1, row: 1 }]
  const page = { cursor: undefined, next: null, answer: 1, entries, readAt: 1 }
  const list = { pages: [page], asked: 1, changed: [] }
  client.setQueryData(queryKey, list, { updatedAt: 1 })
  const asked = client.fetchQuery({
    queryKey,
    queryFn: () => Promise.reject(noAnswer()),
    retry: false,
  })
  await expect(asked).rejects.toThrow('did not answer')
  markChanged(client, new Set(['pay_1']))
  expect(client.getQueryState(queryKey)).toMatchObject({
    data: { ...list, changed: ['pay_1'] },
    status: 'error',
    dataUpdatedAt: 1,
  })
})
