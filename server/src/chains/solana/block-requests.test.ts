import { afterEach, expect, test } from 'vitest'
import { until } from '../../kernel/until.ts'
import { NodeFailure } from '../chain.ts'
import type { Address, Block, TransactionHash } from '../chain.ts'
import { encodeBase58 } from './base58.ts'
import { ALICE, BOB, HASH } from './test-scene.ts'
import { startScripted } from './test-script.ts'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
})

const hashOf = (height: bigint) =>
  encodeBase58(new Uint8Array(64).fill(Number(height))) as TransactionHash
const blockAt = (height: bigint): Block => ({
  ...{ height, hash: HASH, parentHash: HASH, timeMilliseconds: 0 },
  transactionHashes: [hashOf(height)],
})

/** A block in which Bob gets a lamport, as a node shows whose accounts stand in it. */
const shown = (slot: number) => ({
  ...{ blockhash: HASH, previousBlockhash: HASH, parentSlot: slot - 1, blockTime: 0 },
  transactions: [
    {
      transaction: {
        signatures: [hashOf(BigInt(slot))],
        accountKeys: [ALICE, BOB].map((pubkey) => ({ pubkey, signer: pubkey === ALICE })),
      },
      meta: { err: null, fee: 1, preBalances: [9, 0], postBalances: [7, 1] },
    },
  ],
})

/** Of so many blocks, what came to Bob, and how the node was asked: it answers none before as many requests are under way as `together`. */
async function readOf(
  count: number,
  together: number,
  say = (slot: number): unknown => shown(slot),
) {
  let [underWay, most] = [0, 0]
  const { chain, nodes, stop } = await startScripted([
    {
      reply: (method, [slot]) =>
        method === 'getBlock' ? { result: say(Number(slot)) } : { result: null },
      hold: async () => {
        underWay += 1
        most = Math.max(most, underWay)
        await until('the others are asked', async () => most >= together, { seconds: 5 })
        underWay -= 1
      },
    },
  ])
  stops.push(stop)
  const blocks = Array.from({ length: count }, (_, at) => blockAt(BigInt(at + 1)))
  const asked: string[][] = []
  const ours = async (addresses: readonly string[]) => {
    asked.push([...addresses])
    return new Set<Address>()
  }
  const arrivals = await chain.arrivals(blocks, ours).catch((error: unknown) => error)
  return { arrivals, most, asked, calls: nodes[0]?.requests.map((each) => each.length) ?? [] }
}

test('whole blocks are asked for two in a request and four requests at once, so that a node far away does not fall behind a quick chain', async () => {
  const { arrivals, most, calls, asked } = await readOf(12, 4)
  expect([arrivals, most]).toEqual([[], 4])
  expect(calls.slice(0, 6)).toEqual([2, 2, 2, 2, 2, 2])
  expect(asked).toEqual([
    [ALICE, BOB],
    [ALICE, BOB],
  ])
})

test('a few blocks are one request', async () => {
  expect(await readOf(2, 1)).toMatchObject({ arrivals: [], most: 1, calls: [2] })
})

test('one that is another block now, or that no node shows, is said of all', async () => {
  const other = (slot: number) => ({ ...shown(slot), ...(slot === 3 ? { blockhash: ALICE } : {}) })
  expect((await readOf(8, 4, other)).arrivals).toBeUndefined()
  const none = (slot: number) => (slot < 3 ? null : shown(slot))
  expect((await readOf(8, 4, none)).arrivals).toBeInstanceOf(NodeFailure)
})
