import { expect, test } from 'vitest'
import { balancesText } from './wallets.ts'

const asset = { network: 'eip155:84532', asset: 'native', symbol: 'ETH', decimals: 18 }
const balance = {
  ...asset,
  ...{ amount: '1.5', amountBaseUnits: '1500000000000000000' },
  ...{ held: '0', heldBaseUnits: '0' },
  ...{ available: '1.5', availableBaseUnits: '1500000000000000000', height: 7 },
}
const token = { ...asset, asset: `0x${'11'.repeat(20)}`, symbol: 'USDC', decimals: 6 }

test('a balance that nobody could read is unknown, not left out', () => {
  expect(balancesText({ balances: [balance] })).toBe('1.5 ETH')
  expect(balancesText({ balances: [balance], unread: [token] })).toBe('1.5 ETH, unknown USDC')
  const unread = [{ ...token, network: 'eip155:8453' }]
  expect(balancesText({ balances: [balance], unread })).toBe(
    '1.5 ETH on eip155:84532, unknown USDC on eip155:8453',
  )
})
