import { expect, test } from 'vitest'
import { Florin } from '../florin.ts'
import { demand } from './demand.ts'
import { requirementsOf } from './requirement.ts'

const NETWORK = 'eip155:84532'
const PAY_TO = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const COIN = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const OLD = '0x6856794bF815CC609dEE03dE6b89f7c2d9fA21d0'

/** What a paywall asks for these tokens, of a service that can do so much. */
async function askedFor(extensions: readonly string[], ...symbols: readonly string[]) {
  const florin = new Florin({ baseUrl: 'http://service.example', apiKey: 'k' })
  const assets = [
    { symbol: 'COIN', asset: COIN, decimals: 6, eip712: { name: 'Coin', version: '2' } },
    { symbol: 'OLD', asset: OLD, decimals: 6 },
  ]
  const kinds = [{ x402Version: 2, scheme: 'exact', network: NETWORK }]
  Object.assign(florin.networks, { list: async () => [{ network: NETWORK, assets }] })
  Object.assign(florin.x402, { supported: async () => ({ kinds, extensions, signers: {} }) })
  const prices = symbols.map((asset) => ({ amount: 1, asset, network: NETWORK, payTo: PAY_TO }))
  const settings = {}
  const place = { resource: 'https://shop.example/', method: 'GET', settings }
  const requirements = await requirementsOf(florin, prices, AbortSignal.timeout(10_000))
  const { headers, body } = await demand(place, requirements, 'pay')
  const required: unknown = JSON.parse(atob(headers['PAYMENT-REQUIRED'] ?? ''))
  return { required, body }
}

const PERMITS = 'eip2612GasSponsoring'
const APPROVALS = 'erc20ApprovalGasSponsoring'

test('a token without authorizations of its own is asked for by Permit2, in version 2 alone', async () => {
  const { required, body } = await askedFor([PERMITS], 'OLD', 'COIN')
  expect(required).toMatchObject({
    accepts: [
      { asset: OLD, extra: { assetTransferMethod: 'permit2', paymentFlow: 'upfront' } },
      { asset: COIN, extra: { name: 'Coin', version: '2' } },
    ],
  })
  expect(required).not.toHaveProperty(['accepts', 1, 'extra', 'assetTransferMethod'])
  expect(body).toMatchObject({ accepts: [{ asset: COIN }] })
  expect(required).not.toHaveProperty(['extensions', PERMITS])
})

test('a buyer may bring a signed approval where the service gives the gas for one, and only where Permit2 moves the money', async () => {
  const info = { version: '1' }
  const { required } = await askedFor([PERMITS, APPROVALS], 'OLD')
  expect(required).toMatchObject({ extensions: { [APPROVALS]: { info } } })
  for (const asked of [askedFor([PERMITS], 'OLD'), askedFor([PERMITS, APPROVALS], 'COIN')]) {
    expect((await asked).required).not.toHaveProperty(['extensions', APPROVALS])
  }
})

test('a price that nobody could pay without Permit2 is refused where the service has none', async () => {
  await expect(askedFor([], 'OLD')).rejects.toMatchObject({ code: 'INVALID_SETTING' })
  await expect(askedFor([], 'COIN')).resolves.toBeDefined()
})
