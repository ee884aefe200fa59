import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { parseNetworkId } from '@florin/wire/network.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import { newId } from '../kernel/id.ts'
import type { PaymentId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { storeTestWallet } from '../store/test-wallet.ts'
import { write } from '../store/test-write.ts'
import { funding, hold, post, release } from './entry.ts'
import { lockBalances, openHolds, record } from './store.ts'

const TOKEN = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const [HERE, THERE] = [networkOf(84_532), networkOf(8_453)]
const NOW = 1_790_000_000_000

let database: TestDatabase
let wallet: Awaited<ReturnType<typeof storeTestWallet>>
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  wallet = await storeTestWallet(database.store)
})

function networkOf(chainId: number): NetworkId {
  const network = parseNetworkId(`eip155:${chainId}`)
  if (network === undefined) throw new Error('not a network')
  return network
}

const inAccount = <T>(work: (tx: Tx) => Promise<T>) =>
  database.store.inTransaction(wallet.accountId, work)

const placeOf = (network: NetworkId, asset = 'native') => ({
  ...{ accountId: wallet.accountId, walletId: wallet.id },
  ...{ network, asset },
})

async function aPayment(): Promise<PaymentId> {
  const id = newId(systemRandom, 'pay')
  await write(
    database.store,
    'test_payment',
    `insert into payments (id, account_id, type, wallet_id, network, asset, amount, decimals, sender,
       recipient, sandbox, created_at)
     values ($1, $2, 'sent', $3, $4, 'native', 1, 18, 's', 'r', true, now())`,
    [id, wallet.accountId, wallet.id, HERE],
  )
  return id
}

const balanceOn = async (network: NetworkId) => {
  const { accountId, walletId } = placeOf(network)
  const locked = await inAccount((tx) =>
    lockBalances(tx, { accountId, walletId, network, assets: ['native'] }),
  )
  return locked.get('native')
}

test('what a wallet does on one network moves nothing in its books of another', async () => {
  const funded = [funding(placeOf(HERE), 100n), funding(placeOf(THERE), 7n)]
  await inAccount((tx) => record(tx, funded, NOW))
  const held = { ...placeOf(HERE), paymentId: await aPayment(), amount: 60n }
  await inAccount((tx) => record(tx, [hold(held)], NOW))
  expect(await balanceOn(HERE)).toEqual({ available: 40n, held: 60n })
  expect(await balanceOn(THERE)).toEqual({ available: 7n, held: 0n })
  await inAccount((tx) => record(tx, [post(held, { moved: 50n, fee: 1n })], NOW))
  expect(await balanceOn(HERE)).toEqual({ available: 49n, held: 0n })
  expect(await balanceOn(THERE)).toEqual({ available: 7n, held: 0n })
})

test('a hold stays open while that of another asset of its payment is closed', async () => {
  const paymentId = await aPayment()
  const [fee, moved] = [
    { ...placeOf(HERE), paymentId, amount: 2n },
    { ...placeOf(HERE, TOKEN), paymentId, amount: 30n },
  ]
  const funded = [funding(placeOf(HERE), 100n), funding(placeOf(HERE, TOKEN), 100n)]
  await inAccount((tx) => record(tx, [...funded, hold(fee), hold(moved)], NOW))
  expect(await inAccount((tx) => openHolds(tx, [paymentId]))).toEqual([fee, moved])
  await inAccount((tx) => record(tx, [release(fee)], NOW))
  expect(await inAccount((tx) => openHolds(tx, [paymentId]))).toEqual([moved])
})
