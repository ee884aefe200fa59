import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '@florin/server/kernel/until.ts'
import { openWorld, walletOf } from './actors/world.ts'
import type { World } from './actors/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())

interface Listed {
  readonly paymentId: string
  readonly signature: string
  readonly type: string
}
const paymentsOf = ({ body }: { body: Record<string, unknown> }) => body['payments'] as Listed[]

test('what was paid is in the history of both ends, page by page, and is found by whatever is known of it', async () => {
  const client = world.client()
  const [sender, recipientAddress] = [walletOf(world), walletOf(world, 1)]
  const sent: Record<string, unknown>[] = []
  for (const amount of ['0.001', '0.002', '0.003']) {
    const order = {
      walletAddress: sender,
      recipientAddress,
      amount,
      resource: `https://a.b/${amount}`,
    }
    sent.push((await client.post('/payment/send', order)).body)
  }
  const ids = sent.map(({ paymentId }) => paymentId).toReversed()

  const seen: Listed[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page = await client.get(
      `/api/payment/history/${sender}?type=sent&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`,
    )
    expect(page.body).toMatchObject({ success: true, total: 3, limit: 2 })
    seen.push(...paymentsOf(page))
    cursor = page.body['nextCursor'] as string | null
  }
  expect(seen.map(({ paymentId }) => paymentId)).toEqual(ids)
  expect(JSON.stringify(seen)).not.toContain('paymentProof')
  await until(
    'the other end has its own records of them',
    async () => {
      const received = await client.get(`/payment/history/${recipientAddress}?type=received`)
      const hashes = paymentsOf(received).map(({ signature }) => signature)
      return sent.every(({ signature }) => hashes.includes(String(signature)))
    },
    { seconds: 60 },
  )
  const one = await client.get(
    `/payment/history/${sender}?resource=${encodeURIComponent('https://a.b/0.002')}`,
  )
  expect(paymentsOf(one)).toMatchObject([{ paymentId: ids[1], amount: 0.002 }])

  const last = sent.at(-1)
  const network = String(last?.['network'])
  for (const query of [
    { signature: String(last?.['signature']) },
    { proof: String(last?.['paymentProof']) },
    { nonce: '2', network, sender },
  ]) {
    const found = await client.get(`/payment/find?${String(new URLSearchParams(query))}`)
    const own = paymentsOf(found).filter(({ type }) => type === 'sent')
    expect(own, JSON.stringify(query)).toMatchObject([{ paymentId: ids[0] }])
  }
})
