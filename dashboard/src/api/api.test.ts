import { expect, test } from 'vitest'
import { ApiError } from './api-error.ts'
import { addressOf, openApi } from './api.ts'
import { readMessage } from './live.ts'

function apiThat(answers: () => Response | Promise<Response>) {
  const asked: { url: string; init: RequestInit }[] = []
  const signedOut: string[] = []
  const api = openApi({
    fetch: async (url, init = {}) => {
      asked.push({ url: url instanceof Request ? url.url : url.toString(), init })
      return await answers()
    },
    csrfToken: () => 'token',
    onSignedOut: () => signedOut.push('out'),
  })
  return { api, asked, signedOut }
}
const headersOf = ({ init }: { init: RequestInit }) => new Headers(init.headers)

test('parts of a path are escaped, and empty parts of a query left out', () => {
  const path = '/payment/history/{walletAddress}'
  expect(addressOf(path, { walletAddress: 'a/b?c' }, { status: '', limit: 5, to: undefined })).toBe(
    '/api/payment/history/a%2Fb%3Fc?limit=5',
  )
})

test('what changes something carries the token of the session, and a POST a key of its own', async () => {
  const { api, asked } = apiThat(() => Response.json({ success: true }))
  await api.call('GET /wallets')
  await api.call('POST /wallets', { body: { family: 'evm' } })
  await api.call('POST /wallets', { body: { family: 'evm' }, idempotencyKey: 'mine' })
  const keys = asked.map((each) => headersOf(each).get('idempotency-key'))
  expect(asked.map((each) => headersOf(each).get('x-csrf-token'))).toEqual([null, 'token', 'token'])
  expect(keys[0]).toBeNull()
  expect(keys[1]).toMatch(/^[0-9a-f]{32}$/)
  expect(keys[2]).toBe('mine')
})

test('a refusal is thrown with everything that helps, and a lost session is told of once', async () => {
  const error = {
    code: 'UNAUTHORIZED',
    message: 'No.',
    requestId: 'req_1',
    docs: 'http://x/docs/errors/UNAUTHORIZED',
    details: { field: 'rule' },
  }
  const { api, signedOut } = apiThat(() => Response.json({ error }, { status: 401 }))
  const thrown: unknown = await api.call('GET /wallets').catch((reason: unknown) => reason)
  expect(thrown).toBeInstanceOf(ApiError)
  expect(thrown).toMatchObject({ ...error, status: 401 })
  expect(signedOut).toEqual(['out'])
  await expect(api.call('POST /session', { body: { link: 'x' } })).rejects.toThrow('No.')
  expect(signedOut).toEqual(['out'])
})

test('an answer that cannot be read, and none at all, are errors of their own', async () => {
  const torn = apiThat(() => new Response('<html>', { status: 502 }))
  await expect(torn.api.call('GET /wallets')).rejects.toMatchObject({ code: 'INTERNAL_ERROR' })
  const silent = apiThat(() => Promise.reject(new TypeError('no network')))
  await expect(silent.api.call('GET /wallets')).rejects.toMatchObject({ code: 'NO_ANSWER' })
})

test('a message of the socket is an event only when it is whole', () => {
  const event = {
    ...{ id: 'evt_1', type: 'payment', channel: 'payments', sequence: 1, timestamp: 5 },
    data: { paymentId: 'pay_1' },
  }
  expect(readMessage(JSON.stringify(event)).event).toEqual(event)
  for (const other of [{ ...event, type: 'toString' }, { ...event, data: null }, [], null, 5]) {
    expect(readMessage(JSON.stringify(other)).event).toBeUndefined()
  }
  expect(readMessage('{"type":"subscribed","cursor":"evt_9"}')).toEqual({
    type: 'subscribed',
    cursor: 'evt_9',
  })
})
