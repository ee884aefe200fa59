import { afterAll, beforeAll, expect, test } from 'vitest'
import type { NetworkId } from '@florin/wire/network.ts'
import { NodeFailure } from '../chains/chain.ts'
import type { Chain, HistoryLook, Terms, TransactionHash } from '../chains/chain.ts'
import type { OpenSigner } from '../custody/signer.ts'
import type { Wallet } from '../custody/wallet.ts'
import { testNetwork } from '../payments/test-lane.ts'
import { limits } from '../kernel/limits.ts'
import { beginFollowing, storeBlocks, storeFinality, takeLease } from '../sender/follower-store.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { wasSentBefore } from './sent-before.ts'

const HASH = 'what it is called' as TransactionHash
const NETWORK = {
  ...testNetwork(84_532),
  network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' as NetworkId,
}
/** A block that is remembered; each of those after it is remembered, too, and so many of them are final. */
const MADE_AT = 5_000n
const FINAL_AT = MADE_AT + 300n
const hashAt = (height: bigint) => `block ${height}`
const MADE_AFTER = hashAt(MADE_AT)

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
  await database.store.inTransaction('service', async (tx) => {
    await beginFollowing(tx, NETWORK.network, { height: MADE_AT, hash: MADE_AFTER })
    const cursor = await takeLease(tx, NETWORK.network, 'test', 60_000)
    if (cursor === undefined) throw new Error('no lease')
    const blocks = Array.from({ length: 310 }, (_, index) => MADE_AT + BigInt(index + 1))
    const moved = await storeBlocks(
      tx,
      cursor,
      blocks.map((height) => ({
        ...{ height, hash: hashAt(height), parentHash: '' },
        ...{ timeMilliseconds: 0, transactionHashes: [] },
      })),
    )
    await storeFinality(tx, moved, FINAL_AT)
  })
})
afterAll(() => database.close())

/** Whether a history holds it, and has all blocks that could. */
type History = Pick<HistoryLook, 'found' | 'covers'>

/** Asks about it where each node's history holds it or not; 'away': none tells. */
async function asked(
  histories: readonly History[] | 'away',
  { sandbox = false, madeAfter }: { sandbox?: boolean; madeAfter?: string } = {},
) {
  let erased = 0
  const broadcast: unknown[] = []
  const named: (readonly bigint[] | undefined)[] = []
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
        lookBack: async (hashes: readonly TransactionHash[], among?: readonly bigint[]) => {
          expect(hashes).toEqual([HASH])
          named.push(among)
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
  return { was, erased, broadcast, named }
}

test('a payment was sent before where any history holds what its settler would sign, and nothing is sent for that', async () => {
  const [has, hasNot] = [{ found: true }, { found: false, covers: true }]
  const made = { madeAfter: MADE_AFTER }
  expect(await asked([hasNot, has], made)).toMatchObject({ was: true, erased: 1, broadcast: [] })
  expect(await asked([hasNot, hasNot], made)).toMatchObject({
    ...{ was: false, erased: 1, broadcast: [] },
  })
  expect(await asked([has])).toMatchObject({ was: true })
})

test('that it was not is told by a history that has all blocks that could hold it alone', async () => {
  const made = { madeAfter: MADE_AFTER }
  const lacks = { found: false, covers: false }
  const { was, named } = await asked([lacks, lacks], made)
  expect(was).toBe('untold')
  expect(named).toEqual([
    Array.from({ length: limits.datedBlocksAfter }, (_, index) => MADE_AT + BigInt(index + 1)),
  ])
  expect(await asked([lacks, { found: false, covers: true }], made)).toMatchObject({ was: false })
  expect(await asked([{ ...lacks, found: true }], made)).toMatchObject({ was: true })
})

test('of one made nobody knows when it is never told, but in a sandbox', async () => {
  for (const made of [{}, { madeAfter: 'a block that nobody remembers' }]) {
    const { was, named } = await asked([{ found: false }], made)
    expect([was, named]).toEqual(['untold', [undefined]])
    expect(await asked([{ found: true }], made)).toMatchObject({ was: true })
    // A sandbox forgets its blocks before its transactions.
    expect(await asked([{ found: false }], { ...made, sandbox: true })).toMatchObject({
      was: false,
    })
  }
})

test('of one whose blocks are not final yet it is too early to tell', async () => {
  const most = BigInt(limits.datedBlocksAfter)
  const after = async (madeAt: bigint) =>
    (await asked([{ found: false, covers: true }], { madeAfter: hashAt(madeAt) })).was
  expect(await after(FINAL_AT - most)).toBe(false)
  expect(await after(FINAL_AT - most + 1n)).toBe('too young')
  expect(await after(FINAL_AT + 5n)).toBe('too young')
})

test('where no node tells its history that is no answer', async () => {
  const { was, erased } = await asked('away')
  expect(was).toBeInstanceOf(NodeFailure)
  expect(erased).toBe(1)
})
