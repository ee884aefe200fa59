import { expect, test } from 'vitest'
import { testNetwork } from '../payments/test-lane.ts'
import { currencyTokens } from './currency-tokens.ts'

const USDC = { symbol: 'USDC', decimals: 6, takesCommitment: true }
const ARC = '0x3600000000000000000000000000000000000000'
const CELO = '0x471EcE3750Da237f93B8E339c536989b8978a438'

function network(chainId: number, asset: string) {
  const config = testNetwork(chainId)
  return { ...config, assets: [...config.assets, { ...USDC, asset }] }
}

test('names the listed tokens that are the currency of their own network, however they are spelled', () => {
  const networks = [network(5_042, ARC), network(42_220, CELO), network(8_453, ARC)]
  expect(currencyTokens(networks)).toEqual([
    { network: 'eip155:5042', asset: ARC },
    { network: 'eip155:42220', asset: CELO },
  ])
  expect(currencyTokens([testNetwork(5_042)])).toEqual([])
})
