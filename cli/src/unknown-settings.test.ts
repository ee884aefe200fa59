import { SETTINGS } from '@florin/server/settings.ts'
import { expect, test } from 'vitest'
import { exportsOf } from './env.ts'
import { unknownSettings } from './unknown-settings.ts'

test.each([
  ['FLORIN_METRIC_PORT', 'FLORIN_METRICS_PORT'],
  ['FLORIN_TRUSTED_PROXY', 'FLORIN_TRUSTED_PROXIES'],
  ['FLORIN_NETWORK', 'FLORIN_NETWORKS'],
  ['FLORIN_DATABASE_URL', 'DATABASE_URL'],
  ['FLORIN_REDIS_URL', 'REDIS_URL'],
  ['FLORIN_APIKEY', 'FLORIN_API_KEY'],
])('%s is told, with %s as what may be meant, and its value is not', (name, meant) => {
  expect(unknownSettings({ [name]: 'canary' })).toEqual([
    `${name} is no setting of this version, and is ignored. Did you mean ${meant}?`,
  ])
})

test('a name that is near to none is told with where to look', () => {
  expect(unknownSettings({ FLORIN_SHOP_TOKEN: 'canary' })).toEqual([
    'FLORIN_SHOP_TOKEN is no setting of this version, and is ignored. .env.example names them all.',
  ])
})

test('a key behind a blank instead of "=" is not taken for part of a name', () => {
  const [told, ...more] = unknownSettings({ 'FLORIN_KEY canary': '=' })
  expect(more).toEqual([])
  expect(told).toContain('"FLORIN_KEY" is not NAME=value')
  expect(told).not.toContain('canary')
})

test('settings, what `florin env` exports, and what is empty or of others are not told', () => {
  const wallets = ['evm', 'evm', 'solana'].map((family) => ({
    address: 'a',
    family,
    network: 'n',
    label: 'l',
  }))
  const [evm, solana] = [
    { network: 'n', rpcUrl: 'u', usdc: 'c', tokens: [] },
    { network: 'n', rpcUrl: 'u', wsUrl: 'w', usdc: 'c', tokens: [] },
  ]
  const exported = exportsOf({
    baseUrl: 'u',
    dashboardUrl: 'u',
    pid: 1,
    apiKeys: { standard: 'k', premium: 'k', enterprise: 'k' },
    networks: { evm, solana },
    wallets,
    faucet: { url: 'u' },
  })
  expect(
    unknownSettings({
      ...Object.fromEntries(SETTINGS.map((name) => [name, 'x'])),
      ...Object.fromEntries(exported.map(([name, value]) => [`FLORIN_${name}`, value])),
      FLORIN_METRIC_PORT: ' ',
      PORT: '1',
      MY_FLORIN_PORT: '1',
    }),
  ).toEqual([])
})

test('however many there are, what is told has an end', () => {
  const many = Array.from({ length: 500 }, (_, index) => [`FLORIN_OTHER_${index}`, 'x'])
  const told = unknownSettings(Object.fromEntries(many))
  expect(told).toHaveLength(21)
  expect(told.at(-1)).toBe('and 480 more like this.')
})
