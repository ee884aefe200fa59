import { expect, test } from 'vitest'
import { testNetwork } from '../payments/test-lane.ts'
import { inBooks, isKnownCurrency, isReserve, unpayableCurrencyTokens } from './currency-tokens.ts'

const USDC = { symbol: 'USDC', decimals: 6, takesCommitment: true }
const ARC = '0x3600000000000000000000000000000000000000'
const POL = '0x0000000000000000000000000000000000001010'
const RESERVE = '0x6D11e1A6BdCC974ebE1cA73CC2c1Ea3fDE624370'

const idOf = (chainId: number) => testNetwork(chainId).network

test('knows the tokens that are the currency of their own network, however they are spelled', () => {
  expect(isKnownCurrency(idOf(5_042), ARC)).toBe(true)
  expect(isKnownCurrency(idOf(42_220), '0x471EcE3750Da237f93B8E339c536989b8978a438')).toBe(true)
  expect(isKnownCurrency(idOf(8_453), ARC)).toBe(false)
  expect(isKnownCurrency(idOf(5_042), 'native')).toBe(false)
})

test('an amount of such a token stands in the books as what it is of the native currency', () => {
  expect(inBooks({ ...USDC, asset: ARC, isCurrency: true }, 7n)).toEqual({
    asset: 'native',
    amount: 7_000_000_000_000n,
  })
  expect(inBooks({ ...USDC, asset: ARC }, 7n)).toEqual({ asset: ARC, amount: 7n })
})

test('knows where the token of Stable keeps parts of its unit', () => {
  expect(isReserve(idOf(988), RESERVE)).toBe(true)
  expect(isReserve(idOf(5_042), RESERVE)).toBe(false)
})

test('names a listed token by which nothing of its currency moves', () => {
  const config = (chainId: number, asset: string) => {
    const { network, assets } = testNetwork(chainId)
    return { network, assets: [...assets, { ...USDC, asset }] }
  }
  expect(unpayableCurrencyTokens([config(5_042, ARC), config(137, POL)])).toEqual([
    { network: 'eip155:137', asset: POL },
  ])
})
