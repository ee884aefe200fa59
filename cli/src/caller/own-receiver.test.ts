import { Florin } from '@florin/sdk'
import { answer, openTestService, TEST_KEY } from '@florin/sdk/test-service.ts'
import { afterEach, expect, test } from 'vitest'
import { CommandFailed } from '../usage-error.ts'
import { ownReceiver } from './own-receiver.ts'

const SOLANA = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'
const WALLETS = [
  { address: '0x01', family: 'evm' },
  { address: 'first', family: 'solana' },
  { address: 'funded', family: 'solana' },
  { address: '0x02', family: 'evm' },
  { address: 'last', family: 'solana' },
]

let service: Awaited<ReturnType<typeof openTestService>>
afterEach(() => service.close())

const wallets = (list: readonly object[]) =>
  answer(200, { success: true, wallets: list, timestamp: 1 })
const holding = (symbol: string, amountBaseUnits: string) =>
  answer(200, {
    ...{ success: true, walletId: 'wal_1', address: 'a', family: 'solana', label: null },
    ...{ createdAt: 1, policy: null, budgets: [], timestamp: 1 },
    balances: [{ network: SOLANA, symbol, amountBaseUnits }],
  })

async function receiver(network: string, ...answers: Parameters<typeof openTestService>[0]) {
  service = await openTestService(answers)
  const notes: string[] = []
  const florin = new Florin({ baseUrl: service.baseUrl, apiKey: TEST_KEY })
  const { signal } = new AbortController()
  const note = (text: string) => void notes.push(text)
  const address = await ownReceiver(florin, { network, asset: 'USDC' }, { signal, note })
  return { address, notes }
}

test('on EVM the last wallet is paid, and none is looked at', async () => {
  expect(await receiver('eip155:84532', wallets(WALLETS))).toEqual({ address: '0x02', notes: [] })
})

test.each([SOLANA, 'solana-devnet'])(
  'on Solana (%s) the last wallet that has some of the token is paid',
  async (network) => {
    const looked = [holding('SOL', '1'), holding('USDC', '5')]
    const found = await receiver(network, wallets(WALLETS), ...looked)
    expect(found).toEqual({ address: 'funded', notes: [] })
  },
)

test('where no wallet has any, the last is paid, and it is said why that may not do', async () => {
  const none = [holding('USDC', '0'), holding('USDC', '0'), holding('SOL', '7')]
  const { address, notes } = await receiver(SOLANA, wallets(WALLETS), ...none)
  expect(address).toBe('last')
  expect(notes).toEqual([expect.stringContaining('last holds no USDC. On Solana nobody can pay')])
})

test('without a wallet it asks who is paid', async () => {
  await expect(receiver(SOLANA, wallets([WALLETS[0] ?? {}]))).rejects.toThrow(
    new CommandFailed('say who is paid: --pay-to ADDRESS'),
  )
})
