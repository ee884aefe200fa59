import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address, Chain } from '../chains/chain.ts'
import { openDirectory } from '../chains/directory.ts'
import { systemClock } from '../kernel/clock.ts'
import type { AssetProfile } from '../kernel/network-config.ts'
import { TOKEN } from '../payments/test-lane.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { askQuote } from './ask-quote.ts'
import { openTradingScene } from './test-trading.ts'
import { scriptedVenue } from './test-venue.ts'
import { openTokens } from './tokens.ts'

let database: TestDatabase
let chain: Chain
let wallet: Address
/** What the wallet has of the asset that it is asked for. */
let has = 0n
const asked: string[] = []
beforeAll(async () => {
  database = await openTestDatabase()
  const balances = () => ({ native: 0n, asset: 0n, height: 100n, blockHash: '0-100' })
  const scene = await openTradingScene(database.store, 5_900_301, () => [
    scriptedVenue({ rate: 2n, balances }),
  ])
  wallet = scene.wallet.address
  const read = async (address: Address, [asset]: readonly AssetProfile[]) => {
    asked.push(`${address} ${asset?.asset}`)
    return { height: 100n, amounts: [has] }
  }
  const parseAddress = (text: string) => (text.startsWith('0x') ? (text as Address) : undefined)
  chain = { ...scene.chain, balances: read, parseAddress }
})
afterAll(() => database.close())

const quote = (query: Partial<Parameters<typeof askQuote>[1]>) =>
  askQuote(
    { directory: openDirectory([chain]), tokens: openTokens({ clock: systemClock }) },
    { side: 'sell', mint: TOKEN, amount: '1', ...query },
  )

test('a part of what a wallet has is asked for as a sale takes it', async () => {
  has = 1_000_001n
  for (const field of ['publicKey', 'walletAddress']) {
    expect(await quote({ amount: '50%', [field]: wallet })).toMatchObject({
      quote: { amountIn: 500_000n, amountOut: 1_000_000n },
      slippage: '10',
      minimumOut: 900_000n,
    })
  }
  expect(new Set(asked)).toEqual(new Set([`${wallet} ${TOKEN}`]))
  has = 1n
  await expect(quote({ amount: '50%', publicKey: wallet })).rejects.toMatchObject({
    code: 'INSUFFICIENT_BALANCE',
  })
})

test('an amount needs no wallet, and asks for no balance', async () => {
  const before = asked.length
  expect((await quote({ amount: '1.5' })).quote).toMatchObject({ amountIn: 1_500_000n })
  expect(asked).toHaveLength(before)
})

test.each([
  [{ amount: '50%' }, 'INVALID_PARAMETERS', ['publicKey']],
  [{ amount: '50%', publicKey: 'me' }, 'INVALID_PARAMETERS', ['publicKey']],
  [{ amount: '50%', walletAddress: 'me' }, 'INVALID_PARAMETERS', ['walletAddress']],
  [{ amount: '50%', side: 'buy' as const, publicKey: '0xa' }, 'INVALID_PARAMETERS', ['amount']],
  [
    { publicKey: '0xa', walletAddress: '0xa' },
    'INVALID_PARAMETERS',
    ['publicKey', 'walletAddress'],
  ],
  [{ mint: 'foo' }, 'INVALID_MINT', ['mint']],
])('%j is refused as an order is', async (query, code, fields) => {
  const refused = await quote(query).catch((error: unknown) => error)
  expect(refused).toMatchObject({ code })
  expect(Object.keys(Object(refused).details)).toEqual(fields)
})
