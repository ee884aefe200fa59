import { Florin } from '@florin/sdk'
import { answer, openTestService, TEST_KEY } from '@florin/sdk/test-service.ts'
import { afterEach, expect, test } from 'vitest'
import { walletsTool } from './look-tools.ts'
import { toolInput } from './tool.ts'

const TOKEN = '0x3600000000000000000000000000000000000000'
const figures = (asset: string, symbol: string, available: string) => ({
  ...{ asset, symbol, decimals: 6, amount: available, amountBaseUnits: '1' },
  ...{ held: '0', heldBaseUnits: '0', available, availableBaseUnits: '1' },
})
const wallet = { walletId: 'wal_1', address: '0xAb', family: 'evm', label: null, createdAt: 1 }
const other = { ...wallet, address: '0xCd' }

let service: Awaited<ReturnType<typeof openTestService>>
afterEach(() => service.close())

test('an agent sees its wallets alone, and money with two names once', async () => {
  const arc = { network: 'eip155:5042', height: 7 }
  const base = { network: 'eip155:8453', height: 7 }
  const balances = [
    { ...arc, ...figures('native', 'USDC', '2.5000001'), alsoAs: [figures(TOKEN, 'USDC', '2.5')] },
    { ...base, ...figures('native', 'ETH', '1') },
    { ...base, ...figures('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', 'USDC', '7') },
  ]
  service = await openTestService([
    answer(200, { success: true, wallets: [wallet, other], timestamp: 1 }),
    answer(200, { success: true, ...wallet, balances, policy: null, budgets: [], timestamp: 1 }),
  ])
  const florin = new Florin({ baseUrl: service.baseUrl, apiKey: TEST_KEY })
  const allowance = { asset: 'USDC', maxAmount: '1', wallets: ['0xaB'], maySend: false }
  const { signal } = new AbortController()
  const seen = await walletsTool.run({ florin, allowance, input: toolInput({}), signal })
  expect(seen.structuredContent).toEqual({
    wallets: [
      {
        ...{ address: '0xAb', family: 'evm', label: null },
        available: [
          { network: 'eip155:5042', symbol: 'USDC', amount: '2.5000001' },
          { network: 'eip155:8453', symbol: 'USDC', amount: '7' },
        ],
      },
    ],
  })
})
