import { baseUnits } from '@florin/wire/amount.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address, Chain, Draft, TransactionHash } from '../chains/chain.ts'
import type { StoredApproval } from '../facilitator/approval-store.ts'
import { storeApproval } from '../facilitator/approval-store.ts'
import { findWallet } from '../custody/store.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { beginFollowing } from '../sender/follower-store.ts'
import { freezeLane, lockLane } from '../sender/lane-store.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openApprovalSponsor } from './fund-approval.ts'
import type { FundDeps } from './fund-approval.ts'
import type { Payment } from './payment.ts'
import { makeWallet, testNetwork } from './test-lane.ts'

const AMOUNT = 500n
const FEE = 5n
const over = new AbortController().signal

let database: TestDatabase
let networks = 5_000_000
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

/** A wallet that sponsors approvals on a network of its own, which is followed. */
async function aSponsor() {
  const wallet = await makeWallet(database.store)
  const config = {
    ...testNetwork((networks += 1)),
    approvalSponsoring: { wallet: wallet.address, amountMax: 10n ** 6n, amountPerDay: 10n ** 9n },
  }
  const { network } = config
  await database.store.inTransaction('service', (tx) =>
    beginFollowing(tx, network, { height: 1n, hash: 'b1' }),
  )
  const balance = { is: AMOUNT + FEE }
  const chain = scriptedChain(config, {
    balances: async () => ({ amounts: [balance.is], height: 1n }),
    draft: async () => ({ ok: true, draft: DRAFT as Partial<Draft> as Draft }),
  })
  const approval: StoredApproval = {
    ...{ network, hash: '0xapproval' as TransactionHash, payer: '0xpayer' as Address },
    ...{ asset: 'token', nonce: 0n, raw: Uint8Array.of(1), amount: AMOUNT, funding: null },
  }
  return { wallet, chain, approval, balance }
}

const DRAFT = {
  ...{ terms: {}, feeCeiling: baseUnits(FEE), laneLatest: 0n, carriesCommitment: false },
}

function sponsorOf(change: Partial<FundDeps> = {}) {
  const deps: Partial<FundDeps> = {
    ...{ store: database.store, clock: systemClock, random: systemRandom },
    ...{ log: openLog('silent'), killPoint: () => undefined },
    proofs: { commitmentOf: () => new Uint8Array(32) } as Partial<
      FundDeps['proofs']
    > as FundDeps['proofs'],
    walletOf: ({ accountId, family, address }) =>
      database.store.inTransaction(accountId, (tx) => findWallet(tx, accountId, family, address)),
    queue: {
      submit: async () => ({ kind: 'frozen' }),
      drained: async () => undefined,
    },
    ...change,
  }
  return openApprovalSponsor(deps as FundDeps)
}

const fund = (by: ReturnType<typeof sponsorOf>, chain: Chain, approval: StoredApproval) =>
  by.fund({ ...{ chain, approval, over, requestId: 'r', waitUntilMilliseconds: 0 } })

test('a wallet that has enough gives it, and one that has less does not', async () => {
  const { chain, approval, balance } = await aSponsor()
  const warned: unknown[] = []
  const log: FundDeps['log'] = { ...openLog('silent'), warn: (...said) => void warned.push(said) }
  const sponsor = sponsorOf({ log })
  expect(await sponsor.refuses(chain, approval, FEE)).toBeUndefined()
  balance.is -= 1n
  expect(warned).toEqual([])
  expect(await sponsor.refuses(chain, approval, FEE)).toBe('network_unavailable')
  // A seller who asks for a verification first never comes to settle it, where it would be said.
  expect(warned).toHaveLength(1)
})

const stops: Readonly<Record<string, (scene: Awaited<ReturnType<typeof aSponsor>>) => unknown>> = {
  'a wallet that an operator has to look at': ({ wallet, chain }) =>
    database.store.inTransaction('service', async (tx) => {
      const { network } = chain.config
      await lockLane(tx, network, wallet.address, 0n)
      await freezeLane(tx, network, wallet.address, 'its key was used elsewhere')
    }),
  'a network that is stopped': ({ chain }) =>
    database.store.inTransaction('service', (tx) =>
      tx.query('test_halt', `update followers set halted_reason = 'x' where network = $1`, [
        chain.config.network,
      ]),
    ),
  'a wallet that was deleted': ({ wallet }) =>
    database.store.inTransaction(wallet.accountId, (tx) =>
      tx.query('test_delete', 'update wallets set deleted_at = now() where id = $1', [wallet.id]),
    ),
}

test.each(Object.entries(stops))(
  '%s gives nothing: neither call says that it would, or that it is only a matter of time',
  async (_, stop) => {
    const scene = await aSponsor()
    const { chain, approval } = scene
    const sponsor = sponsorOf()
    await stop(scene)
    expect(await sponsor.refuses(chain, approval, FEE)).toBe('network_unavailable')
    expect(await fund(sponsor, chain, approval)).toEqual({
      ...{ kind: 'refused', reason: 'network_unavailable' },
    })
  },
)

test('a payment that gave nothing is told by both calls: the approval is not given anything again', async () => {
  const { wallet, chain, approval } = await aSponsor()
  const { accountId } = wallet
  const given = { ...approval, funding: { accountId, paymentId: newId(systemRandom, 'pay') } }
  const sponsorAt = (status: Payment['status']) =>
    sponsorOf({
      waits: {
        until: async () => ({ status, blockHeight: 7n }) as Partial<Payment> as Payment,
      } as Partial<FundDeps['waits']> as FundDeps['waits'],
    })
  for (const status of ['pending', 'confirmed', 'settled'] as const) {
    expect(await sponsorAt(status).refuses(chain, given, FEE)).toBeUndefined()
  }
  for (const status of ['failed', 'expired'] as const) {
    const reason = 'network_unavailable'
    expect(await sponsorAt(status).refuses(chain, given, FEE)).toBe(reason)
    expect(await fund(sponsorAt(status), chain, given)).toEqual({ kind: 'refused', reason })
  }
})

test('who comes to give what another instance has given from another wallet gives nothing, and waits', async () => {
  const { chain, approval } = await aSponsor()
  await database.store.inTransaction('service', (tx) =>
    storeApproval(tx, approval, systemClock.nowMilliseconds()),
  )
  const other = await makeWallet(database.store)
  await database.store.inTransaction('service', (tx) =>
    tx.query(
      'test_given',
      'update sponsored_approvals set payment_id = $1, sponsor_account_id = $2 where network = $3',
      [newId(systemRandom, 'pay'), other.accountId, approval.network],
    ),
  )
  // Its signing transaction ends with what goes beside the payment.
  const queue: FundDeps['queue'] = {
    submit: async (_chain, { accountId }, send) => {
      await database.store.inTransaction(accountId, async (tx) => send.beside?.(tx, 0))
      throw new Error('it was noted twice')
    },
    drained: async () => undefined,
  }
  expect(await fund(sponsorOf({ queue }), chain, approval)).toEqual({ kind: 'pending' })
})
