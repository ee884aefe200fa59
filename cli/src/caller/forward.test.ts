import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyWebhook } from '@florin/sdk'
import type { AccountEvent } from '@florin/sdk'
import { systemRandom } from '@florin/server/kernel/random.ts'
import { openTestEndpoint } from '@florin/server/webhooks/test-webhooks.ts'
import type { TestEndpoint } from '@florin/server/webhooks/test-webhooks.ts'
import { UsageError } from '../usage-error.ts'
import { openForward } from './forward.ts'

const event: AccountEvent = {
  id: 'evt_9kLmN2bVcXzQwErTyUpA5d',
  type: 'payment',
  channel: 'payments',
  sequence: 41,
  data: { paymentId: 'pay_6kWp3YtNc8QmXv2RzJbE5h', status: 'settled' },
  timestamp: 1_790_000_004_000,
}
const { signal } = new AbortController()
let endpoint: TestEndpoint
beforeAll(async () => {
  endpoint = await openTestEndpoint()
})
afterAll(() => endpoint.close())

test('a forwarded event is signed like a webhook, and its answer is told', async () => {
  const forward = openForward(endpoint.url, systemRandom)
  expect(await forward.send(event, signal)).toMatch(/^200 in \d+ ms$/)
  const [heard] = endpoint.heard
  const signature = String(heard?.headers['florin-signature'])
  const { secret } = forward
  expect(await verifyWebhook({ body: heard?.text ?? '', signature, secret })).toEqual(event)
  endpoint.answer((_heard, response) => {
    response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
  })
  expect(await forward.send(event, signal)).toMatch(/^302 /)
})

test('an address that does not answer is told and ends nothing', async () => {
  expect(await openForward('http://127.0.0.1:1/', systemRandom).send(event, signal)).toBe(
    'no answer',
  )
})

test.each(['localhost:3000', 'file:///etc/passwd', ''])('%s is no address', (url) => {
  expect(() => openForward(url, systemRandom)).toThrow(UsageError)
})
