import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import { systemClock } from '../../kernel/clock.ts'
import { limits } from '../../kernel/limits.ts'
import { openLog } from '../../kernel/log.ts'
import { NodeFailure } from '../chain.ts'
import type { Address, Block, Chain, TransactionHash } from '../chain.ts'
import { AnswerTooLong } from '../json-rpc/answer-too-long.ts'
import { shortAnswers } from '../json-rpc/test-short-answers.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { openPieces } from '../pieces.ts'
import { encodeBase58 } from './base58.ts'
import { readBlockAccounts, readBlockRecords } from './block-accounts.ts'
import type { Records } from './block-one-by-one.ts'
import { connectSolana } from './connect.ts'
import { SYSTEM_PROGRAM } from './programs.ts'
import { COMMITMENT, startTestChain } from './test-chain.ts'
import type { TestChain } from './test-chain.ts'
import { NATIVE, testNetwork, USDC } from './test-network.ts'
import { ALICE, BOB, wallet } from './test-scene.ts'

/** More than one transaction takes, and less than a block of them. */
const ANSWER_BYTES_MAX = 9_000

describe('a block of a real chain', () => {
  let t: TestChain
  beforeAll(async () => {
    t = await startTestChain()
  }, 240_000)
  afterEach(() => t.sandbox.clearFaults())
  afterAll(() => t.sandbox.stop())

  /** The same chain to somebody who reads no longer answers than that. */
  function reader(responseBytesMax: number): {
    readonly chain: Chain
    readonly longest: () => number
  } {
    const { post, longest } = shortAnswers(responseBytesMax)
    const chain = connectSolana({
      config: testNetwork([t.sandbox.solana.rpcUrl]),
      ...{ log: openLog('silent'), clock: systemClock, post },
    })
    return { chain, longest }
  }

  test('that is too long for one answer is read transaction by transaction', async () => {
    const payers = await Promise.all(
      Array.from({ length: 8 }, () => t.wallet(['native', '1'], ['USDC', '5'])),
    )
    const { address: recipient } = await t.wallet(['native', '1'], ['USDC', '1'])
    await t.sandbox.fault({ chain: 'solana', kind: 'stop-blocks' })
    const signed = await Promise.all(
      payers.map((payer, index) =>
        t.signed(
          {
            ...{ sender: payer.address, recipient, commitment: COMMITMENT },
            asset: index % 2 === 0 ? USDC : NATIVE,
            amount: baseUnits(BigInt(index + 1)),
          },
          payer,
        ),
      ),
    )
    await t.chain.broadcast(signed.map(({ raw }) => raw))
    await t.pass(3)
    const [{ hash } = { hash: '' as TransactionHash }] = signed
    const { height } = await t.mined(hash)
    const [block] = await t.chain.blocks(height, 1)
    if (block?.transactionHashes.length !== payers.length) throw new Error('not all are in')

    const [whole, short] = [reader(10_000_000), reader(ANSWER_BYTES_MAX)]
    const ours = async (asked: readonly Address[]) =>
      new Set(asked.filter((each) => each === recipient))
    const arrivals = await short.chain.arrivals([block], ours)
    expect(arrivals).toHaveLength(payers.length)
    expect(arrivals).toEqual(await whole.chain.arrivals([block], ours))
    expect(whole.longest()).toBeGreaterThan(ANSWER_BYTES_MAX)
    expect(short.longest()).toBeLessThanOrEqual(ANSWER_BYTES_MAX)
  })
})

const HASHES = Array.from(
  { length: limits.unreadRecordsPerBlockMax + 1 },
  (_, serial) => encodeBase58(new Uint8Array(64).fill(serial + 1)) as TransactionHash,
)
const BLOCK: Block = {
  ...{ height: 20n, hash: wallet(21), parentHash: wallet(20), timeMilliseconds: 0 },
  transactionHashes: HASHES,
}
const META = {
  ...{ err: null, fee: 5_000, preBalances: [9_000, 1, 1], postBalances: [3_960, 41, 1] },
  ...{ preTokenBalances: [], postTokenBalances: [], innerInstructions: [] },
}
const wholeOf = (hash: string) => ({
  ...{ slot: 20, version: 1, meta: META },
  transaction: {
    signatures: [hash],
    message: {
      header: { numRequiredSignatures: 1 },
      ...{ accountKeys: [ALICE, BOB, SYSTEM_PROGRAM], instructions: [] },
    },
  },
})

/** Nodes that answer the accounts of the block at too great length. */
function longNode(change: (hash: string) => object | null = () => ({}), blockhash = BLOCK.hash) {
  const read: Transport['read'] = async <Value>({ method, params, parse }: Read<Value>) => {
    if (method === 'getTransaction') {
      const [hash] = params as [string]
      const changed = change(hash)
      return parse(changed && { ...wholeOf(hash), ...changed })
    }
    const [, { transactionDetails }] = params as [number, { transactionDetails: string }]
    if (transactionDetails === 'accounts') throw new AnswerTooLong('too long')
    return parse({ blockhash })
  }
  return { read }
}
const [ODD] = HASHES
const odd = (change: object | null) => (hash: string) => (hash === ODD ? change : {})
const shown = async (node: Pick<Transport, 'read'>) =>
  readBlockRecords(node, BLOCK, ({ transaction }) => [transaction], openPieces<Records<unknown>>())

describe('a block whose accounts are too long', () => {
  test('is shown as a block shows them, each transaction with who signs', async () => {
    const read = await shown(longNode())
    expect(read?.unread).toEqual([])
    expect(read?.found).toHaveLength(HASHES.length)
    expect(read?.found[0]).toEqual({
      signatures: [ODD],
      accountKeys: [
        { pubkey: ALICE, signer: true },
        { pubkey: BOB, signer: false },
        { pubkey: SYSTEM_PROGRAM, signer: false },
      ],
    })
  })

  test.each<[string, ReturnType<typeof longNode>]>([
    ['one of its transactions is gone', longNode(odd(null))],
    ['one of them stands elsewhere', longNode(odd({ slot: 21 }))],
    ['another block stands at its slot', longNode(undefined, wallet(22))],
  ])('is not read where %s', async (_, node) => {
    expect(await shown(node)).toBeUndefined()
    expect(
      await readBlockAccounts(node, BLOCK, () => [], openPieces<Records<never>>()),
    ).toBeUndefined()
  })

  test.each([
    ['has no meta', { meta: null }],
    ['lacks a balance', { meta: { ...META, preBalances: [1] } }],
    ['is told as another', wholeOf(HASHES[1] ?? '')],
  ])('names the one that %s, and passes it over', async (_, change) => {
    const node = longNode(odd(change))
    const read = await shown(node)
    expect(read?.unread).toEqual([ODD])
    expect(read?.found).toHaveLength(HASHES.length - 1)
    await expect(
      readBlockAccounts(node, BLOCK, () => [], openPieces<Records<never>>()),
    ).rejects.toThrow(`transaction ${ODD}`)
  })

  test('is of no use where more cannot be read than are passed over', async () => {
    await expect(shown(longNode(() => ({ meta: null })))).rejects.toThrow(
      `transaction ${ODD} of block 20 cannot be read; put a node of another provider`,
    )
  })
})

test('a piece that fails costs that piece: the next round goes on behind what was read', async () => {
  let asked: string[] = []
  let budget = 0
  const sound = longNode()
  const read: Transport['read'] = async (one) => {
    if (one.method !== 'getTransaction') return sound.read(one)
    if (budget === 0) throw new NodeFailure('HTTP 429')
    budget -= 1
    asked.push(String(one.params[0]))
    return sound.read(one)
  }
  const node = { read }
  const kept = openPieces<Records<unknown>>()
  const round = () => readBlockRecords(node, BLOCK, ({ transaction }) => [transaction], kept)
  const all: string[] = []
  for (let rounds = 0; rounds < HASHES.length; rounds += 1) {
    asked = []
    budget = 20
    const outcome = await round().catch((error: unknown) => error)
    all.push(...asked)
    if (outcome instanceof NodeFailure) continue
    expect(outcome).toMatchObject({ unread: [] })
    break
  }
  expect((await round())?.found).toHaveLength(HASHES.length)
  // What was under way when the budget ended is asked for once more.
  expect(new Set(all).size).toBe(HASHES.length)
  expect(all.length).toBeLessThan(HASHES.length * 1.5)
})

test('a transaction that no node showed in a way that can be read is asked for again in the next round', async () => {
  const shows = { isOdd: true }
  const node = longNode((hash) => (hash === ODD && shows.isOdd ? { meta: null } : {}))
  const kept = openPieces<Records<unknown>>()
  const round = async () => readBlockAccounts(node, BLOCK, () => ['seen'], kept)
  await expect(round()).rejects.toThrow(`transaction ${ODD}`)
  shows.isOdd = false
  expect(await round()).toHaveLength(HASHES.length)
})
