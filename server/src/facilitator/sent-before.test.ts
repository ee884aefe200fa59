import { afterAll, beforeAll, expect, test } from 'vitest'
import { NodeFailure } from '../chains/chain.ts'
import type { Chain, HistoryLook, Terms, TransactionHash } from '../chains/chain.ts'
import type { OpenSigner } from '../custody/signer.ts'
import type { Wallet } from '../custody/wallet.ts'
import { testNetwork } from '../payments/test-lane.ts'
import { beginFollowing } from '../sender/follower-store.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { wasSentBefore } from './sent-before.ts'

const HASH = 'what it is called' as TransactionHash
const NETWORK = testNetwork(84_532)
/** The one block that was followed. */
const MADE_AFTER = { height: 5_000n, hash: 'block 5000' }

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
  await database.store.inTransaction('service', (tx) =>
    beginFollowing(tx, NETWORK.network, MADE_AFTER),
  )
})
afterAll(() => database.close())

/** Whether a history holds it, and where that begins. */
type History = Pick<HistoryLook, 'found' | 'historyFrom'>

/** Asks about it where each node's history holds it or not; 'away': none tells. */
async function asked(
  histories: readonly History[] | 'away',
  { sandbox = false, madeAfter }: { sandbox?: boolean; madeAfter?: string } = {},
) {
  let erased = 0
  const broadcast: unknown[] = []
  const looks = (history: History): HistoryLook => ({
    ...{ node: 'node', finalizedHeight: 9n, height: 9n, ...history },
  })
  const chain: Chain = scriptedChain(
    { ...NETWORK, sandbox },
    {
      sign: async () => ({ hash: HASH, raw: Uint8Array.of(1) }),
      broadcast: async (raws) => {
        broadcast.push(...raws)
        return []
      },
      renewal: {
        kind: 'lifetime',
        madeAfter: () => madeAfter,
        lookBack: async (hashes: readonly TransactionHash[]) => {
          expect(hashes).toEqual([HASH])
          if (histories === 'away') throw new NodeFailure('no node tells')
          return [histories.map(looks)]
        },
      } as Partial<Chain['renewal']> as Chain['renewal'],
    },
  )
  const signer = { erase: () => void (erased += 1) } as Partial<OpenSigner> as OpenSigner
  const order = { chain, settler: {} as Wallet, terms: {} as Terms }
  const deps = { signerFor: async () => signer, store: database.store }
  const was = await wasSentBefore(deps, order).catch((error: unknown) => error)
  return { was, erased, broadcast }
}

test('a payment was sent before where any history holds what its settler would sign, and nothing is sent for that', async () => {
  const [has, hasNot] = [{ found: true }, { found: false, historyFrom: 0n }]
  expect(await asked([hasNot, has])).toEqual({ was: true, erased: 1, broadcast: [] })
  expect(await asked([hasNot, hasNot])).toEqual({ was: false, erased: 1, broadcast: [] })
})

test('of one made nobody knows when it is told by a history from the first block on alone', async () => {
  const later = { found: false, historyFrom: 2n }
  const silent = { found: false }
  for (const pruned of [[later], [silent], [later, silent]]) {
    expect(await asked(pruned)).toMatchObject({ was: 'untold', erased: 1 })
    for (const historyFrom of [0n, 1n]) {
      expect(await asked([...pruned, { found: false, historyFrom }])).toMatchObject({ was: false })
    }
    expect(await asked([...pruned, { found: true, historyFrom: 2n }])).toMatchObject({ was: true })
  }
  // A sandbox forgets its blocks before its transactions.
  expect(await asked([later], { sandbox: true })).toMatchObject({ was: false })
})

test('a payment made after a block that is remembered is one that was not where a history reaches back to that block', async () => {
  const after = (historyFrom: bigint, madeAfter: string) =>
    asked([{ found: false, historyFrom }], { madeAfter })
  expect(await after(MADE_AFTER.height, MADE_AFTER.hash)).toMatchObject({ was: false })
  expect(await after(MADE_AFTER.height + 1n, MADE_AFTER.hash)).toMatchObject({ was: 'untold' })
  expect(await after(MADE_AFTER.height, 'another block')).toMatchObject({ was: 'untold' })
})

test('where no node tells its history that is no answer', async () => {
  const { was, erased } = await asked('away')
  expect(was).toBeInstanceOf(NodeFailure)
  expect(erased).toBe(1)
})
