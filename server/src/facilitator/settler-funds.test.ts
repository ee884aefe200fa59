import { baseUnits } from '@florin/wire/amount.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Address, Chain, Terms } from '../chains/chain.ts'
import type { ExactPayments } from '../chains/exact.ts'
import type { Wallet } from '../custody/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { makeWallet, testNetwork } from '../payments/test-lane.ts'
import { freezeLane, lockLane } from '../sender/lane-store.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { beginSettlement } from './begin.ts'
import type { BeginDeps, Begun, Settleable } from './beginning.ts'
import { openSettlerFunds } from './settler-funds.ts'
import type { SettlerFunds } from './settler-funds.ts'
import { openSettlers } from './settlers.ts'
import type { Settlers } from './settlers.ts'
import type { ClaimOrder } from './claim-many.ts'
import { write } from '../store/test-write.ts'

const config = testNetwork(84_532)
const { network } = config
const DRAFT = {
  terms: {} as Terms,
  feeCeiling: baseUnits(1n),
  feeExpected: baseUnits(0n),
  laneLatest: 0n,
  settlerBalance: 1n,
}

let database: TestDatabase
let wallets: readonly Wallet[]
let chain: Chain
let funds: SettlerFunds
let settlers: Settlers
beforeEach(async () => {
  database = await openTestDatabase()
  const { store } = database
  wallets = [await makeWallet(store), await makeWallet(store)]
  chain = scriptedChain(config, {
    estimateFees: async () => ({ transfer: 1n, token: 1n }) as never,
    balances: async () => ({ amounts: [1_000n] }) as never,
    exact: {
      draft: async () => ({ ok: true, draft: DRAFT }),
    } as Partial<ExactPayments> as ExactPayments,
  })
  // Looks only when the test says so.
  const still: Clock = { ...systemClock, sleep: async (_, signal) => aborted(signal) }
  const log = openLog('silent')
  settlers = openSettlers({ store, clock: still, log, networks: [config] })
  const of = () => wallets
  funds = openSettlerFunds({ chains: [chain], settlers: { of }, store, clock: still, log })
  await funds.look()
})
afterEach(async () => {
  await funds.stop()
  await settlers.stop()
  await database.close()
})

const aborted = (signal: AbortSignal | undefined) =>
  new Promise<void>((resolve) => {
    if (signal?.aborted !== false) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
const addressOf = (index: number) => wallets[index]?.address as Address

async function freeze(address: Address): Promise<void> {
  await database.store.inTransaction('service', async (tx) => {
    await lockLane(tx, network, address, 0n)
    await freezeLane(tx, network, address, 'a stranger uses it')
  })
}

test('a key whose lane is stopped is left out, and a network without another one cannot pay', async () => {
  expect([funds.isLow(network, addressOf(0)), funds.canPay(chain)]).toEqual([false, true])
  await freeze(addressOf(0))
  await funds.look()
  expect([funds.isLow(network, addressOf(0)), funds.canPay(chain)]).toEqual([true, true])
  await freeze(addressOf(1))
  await funds.look()
  expect(funds.canPay(chain)).toBe(false)
  await write(
    database.store,
    'test_release',
    `update lanes set state = 'active', frozen_reason = null`,
  )
  await funds.look()
  expect([funds.isLow(network, addressOf(0)), funds.canPay(chain)]).toEqual([false, true])
})

test('a settlement goes on with another key when one cannot sign now, and is refused when none can', async () => {
  let unusable = new Set([addressOf(0)])
  const asked: Address[] = []
  const { store } = database
  const deps: BeginDeps = {
    ...{ store, funds, clock: systemClock, killPoint: () => undefined },
    records: {} as BeginDeps['records'],
    signerFor: () => Promise.reject(new Error('nothing is signed here')),
    settlers: {
      next: (_family, _named, isLow) => wallets.find(({ address }) => !isLow(address)),
    } as Partial<Settlers> as Settlers,
    claims: {
      coming: () => () => undefined,
      keepApart: () => undefined,
      claim: async (_chain: Chain, { address }: Wallet, _order: ClaimOrder): Promise<Begun> => {
        asked.push(address)
        return unusable.has(address) ? { kind: 'unusable' } : { kind: 'taken' }
      },
    },
  }
  const settle = () =>
    beginSettlement(deps, {
      accountId: newId(systemRandom, 'acct'),
      paymentId: newId(systemRandom, 'pay'),
      digest: new Uint8Array(32),
      intake: {
        ...{ chain, exact: chain.exact, resource: null, payment: { x402Version: 2 } },
        authorization: { feePayer: null, asset: config.assets[1], amount: 1_000_000n },
      } as Partial<Settleable> as Settleable,
      isNew: true,
    })
  expect(await settle()).toMatchObject({ kind: 'taken' })
  expect(asked).toEqual([addressOf(0), addressOf(1)])
  unusable = new Set([addressOf(0), addressOf(1)])
  expect(await settle()).toMatchObject({ kind: 'refused', reason: 'network_unavailable' })
  await funds.look()
  expect(funds.canPay(chain)).toBe(true)
})
