import { DEFAULT_ASSETS } from '@x402/evm'
import { expect, test } from 'vitest'
import { parseNetworkId } from './network.ts'
import { isTestNetwork } from './network-worth.ts'

const worthOf = (text: string): boolean | undefined => {
  const network = parseNetworkId(text)
  if (network === undefined) throw new Error(`${text} is no network`)
  return isTestNetwork(network)
}

test('of every network that the stock client of x402 has an asset for it is known what its tokens are worth', () => {
  const networks = Object.keys(DEFAULT_ASSETS)
  expect(networks.length).toBeGreaterThan(20)
  expect(networks.filter((network) => worthOf(network) === undefined)).toEqual([])
})

test.each([
  ['eip155:8453', false],
  ['eip155:84532', true],
  ['eip155:143', false],
  ['eip155:10143', true],
  ['eip155:988', false],
  ['eip155:2201', true],
  ['eip155:5042', false],
  ['eip155:5042002', true],
  ['eip155:181228', true],
  ['eip155:999999', undefined],
])('%s is a test network: %s', (network, isTest) => {
  expect(worthOf(network)).toBe(isTest)
})
