import { Florin } from '@florin/sdk'
import { until } from '@florin/server/kernel/until.ts'
import { expect, test } from 'vitest'
import { FRAMEWORKS, openPaidShop } from './actors/paid-shop.ts'

const NETWORK = 'eip155:84532'
const TOKEN = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const PAY_TO = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const PRICE = { amount: '0.01', asset: 'USDC', network: NETWORK, payTo: PAY_TO }
const ACCEPTED = { scheme: 'exact', network: NETWORK, amount: '10000', asset: TOKEN, payTo: PAY_TO }
const PAYMENT = { x402Version: 2, accepted: ACCEPTED, payload: {} }
const PROOF = Buffer.from(JSON.stringify(PAYMENT)).toString('base64')

/** A service that settles the first time, and from then on says that it has. */
function aService() {
  let settlements = 0
  const usdc = { symbol: 'USDC', asset: TOKEN, decimals: 6, eip712: { name: 'USDC', version: '2' } }
  const settled = { transaction: '0xabc', network: NETWORK, extra: { paymentId: 'pay_1' } }
  const answers: Readonly<Record<string, () => object>> = {
    '/networks': () => ({
      success: true,
      networks: [{ network: NETWORK, assets: [usdc] }],
      timestamp: 1,
    }),
    '/x402/supported': () => ({
      kinds: [{ x402Version: 2, scheme: 'exact', network: NETWORK }],
      extensions: [],
      signers: {},
    }),
    '/x402/settle': () => {
      settlements += 1
      if (settlements === 1) return { success: true, ...settled }
      return { success: false, errorReason: 'duplicate_settlement', ...settled }
    },
  }
  return new Florin({
    baseUrl: 'http://service.example',
    apiKey: 'key',
    fetch: async (url) => Response.json(answers[new URL(new Request(url).url).pathname]?.() ?? {}),
  })
}

test.each(FRAMEWORKS)(
  'behind %s a handler that throws leaves the payment good for one answer more',
  async (framework) => {
    const undelivered: string[] = []
    let calls = 0
    const shop = await openPaidShop(
      framework,
      aService(),
      { ...PRICE, onUndelivered: (_, reason) => undelivered.push(reason) },
      () => {
        calls += 1
        if (calls === 1) throw new Error('broken')
        return { goods: true }
      },
    )
    const ask = (headers: Record<string, string> = { 'payment-signature': PROOF }) =>
      fetch(shop.url, { headers })
    try {
      expect((await ask({})).status).toBe(402)
      const broken = await ask()
      expect(broken.status).toBe(500)
      // The buyer can see that it paid, and no cache keeps what it was told.
      expect(broken.headers.get('payment-response')).not.toBeNull()
      await until('it is known as undelivered', () => undelivered.length === 1, { seconds: 60 })
      const good = await ask()
      expect([good.status, await good.json()]).toEqual([200, { goods: true }])
      expect(good.headers.get('cache-control')).toBe('private, no-store')
      expect(good.headers.get('x-payment-response')).toBe(good.headers.get('payment-response'))
      expect((await ask()).status).toBe(409)
      expect(calls).toBe(2)
    } finally {
      await shop.stop()
    }
  },
)
