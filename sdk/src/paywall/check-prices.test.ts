import { describe, expect, test } from 'vitest'
import { checkPrices } from './check-prices.ts'
import type { PaywallPrice } from './price.ts'

const EVM = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const SOLANA = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const price = (network: string, payTo: unknown) =>
  ({ amount: '0.01', asset: 'USDC', network, payTo }) as PaywallPrice

describe('a price', () => {
  test.each([
    ['base-sepolia', EVM],
    ['eip155:1', EVM.toLowerCase()],
    ['solana-devnet', SOLANA],
    ['cosmos:hub', 'cosmos1xyz'],
  ])('of %s to %s stands', (network, payTo) => {
    expect(() => checkPrices([price(network, payTo)])).not.toThrow()
  })

  test.each([
    ['base-sepolia', ''],
    ['base-sepolia', undefined],
    ['base-sepolia', 'abc'],
    ['base-sepolia', `0x${'0'.repeat(40)}`],
    ['base-sepolia', SOLANA],
    ['solana-devnet', EVM],
    ['solana-devnet', '1'.repeat(32)],
    ['solana-devnet', 'O0Il'],
  ])('of %s to %j is refused when the wall is made, not shown to buyers', (network, payTo) => {
    expect(() => checkPrices([price(network, payTo)])).toThrow(/payTo/)
  })

  test('is needed', () => {
    expect(() => checkPrices([])).toThrow(/accepts/)
  })
})
