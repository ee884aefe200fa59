import { afterAll, beforeAll, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import type { Address, Draft } from '../chains/chain.ts'
import { requireAddress } from '../chains/evm/account.ts'
import { connectEvm } from '../chains/evm/connect.ts'
import { testNetwork, USDC } from '../chains/evm/test-network.ts'
import { systemClock } from '../kernel/clock.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { noWaits } from '../payments/test-waits.ts'
import type { AssetLimit, PolicyRules } from '../policies/rules.ts'
import { writePolicy } from '../policies/store.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { storeTestWallet } from '../store/test-wallet.ts'
import { openSellers } from './ask-seller.ts'
import { fetchPaid } from './fetch.ts'

const STRANGER = requireAddress(`0x${'2'.repeat(40)}`)
const FRIEND = requireAddress(`0x${'3'.repeat(40)}`)
const URL_OF_SELLER = 'https://shop.example/report'
const config = testNetwork(['http://127.0.0.1:1'])

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const offer = (payTo: Address, amount: string) => ({
  ...{ scheme: 'exact', network: 'base-sepolia', maxAmountRequired: amount, asset: USDC.asset },
  ...{ payTo, maxTimeoutSeconds: 60, extra: { name: 'USDC', version: '2' } },
  ...{ resource: URL_OF_SELLER, description: '', mimeType: '' },
})

/** Whom a wallet with that policy would pay: a stranger is the cheaper one. */
async function paidUnder(policy: Partial<PolicyRules>): Promise<readonly Address[]> {
  const { store } = database
  const walletAddress = requireAddress(`0x${Buffer.from(systemRandom.bytes(20)).toString('hex')}`)
  const { id: walletId, accountId } = await storeTestWallet(store, walletAddress)
  const rules = { limits: [], recipients: null, resources: null, ...policy }
  await store.inTransaction(accountId, (tx) =>
    writePolicy(tx, { accountId, walletId }, rules, Date.now()),
  )
  const paid: Address[] = []
  const connected = connectEvm({
    ...{ config, log: openLog('silent'), clock: systemClock, callSeconds: 1 },
  })
  const { exact } = connected
  if (exact === undefined) throw new Error('no way to pay sellers')
  const chain = {
    ...connected,
    draft: async () => ({ ok: true, draft: {} as Partial<Draft> as Draft }) as const,
    exact: {
      ...exact,
      authorize: async ({ payTo }: { payTo: Address }) => {
        paid.push(payTo)
        return { ok: false, reason: 'receiver' } as const
      },
    },
  }
  const demand = { x402Version: 1, accepts: [offer(FRIEND, '20'), offer(STRANGER, '10')] }
  const sellers = openSellers({
    request: async () => {
      const body = Buffer.from(JSON.stringify(demand))
      return { kind: 'answered', status: 402, headers: new Map(), body }
    },
  })
  const never = new AbortController().signal
  const deps = {
    ...{ store, clock: systemClock, random: systemRandom, sellers, killPoint: () => undefined },
    lookUntilPaid: async () => undefined,
    waits: { ...noWaits, until: async () => undefined, count: () => 0 },
    signerFor: () => Promise.reject(new Error('nothing is signed here')),
  }
  const order = {
    ...{ accountId, chain, walletAddress, asset: USDC, ceiling: baseUnits(100n) },
    ...{ request: { method: 'GET', url: URL_OF_SELLER, headers: {} } as const },
    ...{ metadataText: null, once: null, clientGone: never, waitOver: never },
    demandAdmitted: async () => undefined,
  }
  await expect(fetchPaid(deps, order)).rejects.toMatchObject({
    code: 'PAYMENT_VERIFICATION_FAILED',
  })
  return paid
}

const limit = (fields: Partial<AssetLimit>): AssetLimit => ({
  ...{ network: config.network, asset: USDC.asset, decimals: USDC.decimals },
  ...fields,
})

test('of a seller’s offers the cheapest is taken that the policy of the wallet allows', async () => {
  expect(await paidUnder({})).toEqual([STRANGER])
  expect(await paidUnder({ recipients: [FRIEND] })).toEqual([FRIEND])
  expect(await paidUnder({ recipients: [FRIEND], limits: [limit({ perHour: 20n })] })).toEqual([
    FRIEND,
  ])
})

test('where the policy allows none, the cheapest is what it is refused for', async () => {
  expect(await paidUnder({ recipients: [] })).toEqual([STRANGER])
  expect(await paidUnder({ recipients: [FRIEND], limits: [limit({ perPayment: 19n })] })).toEqual([
    STRANGER,
  ])
})
