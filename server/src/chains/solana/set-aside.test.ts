import { afterEach, describe, expect, test } from 'vitest'
import { NodeFailure } from '../chain.ts'
import type { Block, TransactionHash } from '../chain.ts'
import type { Script } from '../json-rpc/test-node.ts'
import { encodeBase58 } from './base58.ts'
import { TOKEN_PROGRAM } from './programs.ts'
import { openArrivals } from './test-arrivals.ts'
import { ALICE, ALICES, BOB, BOBS, MINT, wallet } from './test-scene.ts'
import { error, result, script, startScripted } from './test-script.ts'

const KEYS = [ALICE, BOB, ALICES, BOBS, MINT, TOKEN_PROGRAM]
const [ODD, EVEN] = [8, 9].map((byte) => encodeBase58(new Uint8Array(64).fill(byte)))
const BLOCK: Block = {
  ...{ height: 20n, hash: wallet(21), parentHash: wallet(20), timeMilliseconds: 0 },
  transactionHashes: [ODD as TransactionHash, EVEN as TransactionHash],
}
const held = (alices: number, bobs: number) =>
  [
    [2, ALICE, alices],
    [3, BOB, bobs],
  ].map(([accountIndex, owner, amount]) => ({
    ...{ accountIndex, mint: MINT, owner, programId: TOKEN_PROGRAM },
    uiTokenAmount: { amount: `${amount}` },
  }))
/** Alice gives Bob ten units, of which these came by the balances. */
const metaOf = (came: number) => ({
  ...{ err: null, fee: 5_000, loadedAddresses: { writable: [], readonly: [] } },
  ...{ preBalances: [9_000, 1, 1, 1, 1, 1], postBalances: [4_000, 1, 1, 1, 1, 1] },
  ...{ preTokenBalances: held(100, 0), postTokenBalances: held(90, came), innerInstructions: [] },
})
const wholeOf = (hash: string | undefined, came: number) => ({
  ...{ slot: 20, version: 0, meta: metaOf(came) },
  transaction: {
    signatures: [hash],
    message: {
      header: { numRequiredSignatures: 1 },
      accountKeys: KEYS,
      instructions: [
        {
          ...{ programIdIndex: 5, accounts: [2, 4, 3, 0] },
          data: encodeBase58(Uint8Array.of(12, 10, 0, 0, 0, 0, 0, 0, 0, 6)),
        },
      ],
    },
  },
})
/** Shows the block; of the odd transaction it says what the test wants. */
const saying = (odd: unknown): Script =>
  script({
    getSlot: 30,
    getBlock: {
      blockhash: BLOCK.hash,
      transactions: [ODD, EVEN].map((signature) => ({
        transaction: { signatures: [signature], accountKeys: KEYS.map((pubkey) => ({ pubkey })) },
        meta: metaOf(10),
      })),
    },
    getTransaction: ([hash]: [string]) =>
      hash === ODD
        ? typeof odd === 'function'
          ? (odd as () => unknown)()
          : result(odd)
        : result(wholeOf(EVEN, 10)),
  })
const CONTRADICTS = saying(wholeOf(ODD, 9))
const OTHER_LAMPORTS = saying({
  ...wholeOf(ODD, 10),
  meta: { ...metaOf(10), postBalances: [4_000, 2, 1, 1, 1, 1] },
})
const WITHOUT_SLOT = saying({ ...wholeOf(ODD, 10), slot: 'x' })
const NO_OBJECT = saying('x')
const WITHOUT_BALANCES = saying({ ...wholeOf(ODD, 10), meta: { err: null } })

const stops: (() => Promise<void>)[] = []
const { read, stop: stopReading } = openArrivals(BLOCK)
afterEach(async () => {
  await stopReading()
  await Promise.all(stops.splice(0).map((stop) => stop()))
})

describe('a transaction of a block', () => {
  const ASIDE = { transactionHash: ODD, height: 20n, blockHash: BLOCK.hash, address: BOB }
  test.each([
    ['contradicts itself', CONTRADICTS],
    ['has other lamports than its instructions and its fee left', OTHER_LAMPORTS],
    ['is told without its balances', WITHOUT_BALANCES],
    ['is told without its slot', WITHOUT_SLOT],
    ['is told as something that is no transaction', NO_OBJECT],
  ])(
    'that %s on every node is named, and keeps nobody from what the others brought',
    async (_, node) => {
      expect(await read(node)).toEqual({ came: [EVEN], unread: [ASIDE] })
      expect(await read(node, CONTRADICTS)).toEqual({ came: [EVEN], unread: [ASIDE] })
    },
  )

  test('that one node tells as it was is not set aside', async () => {
    const truth = saying(wholeOf(ODD, 10))
    expect(await read(CONTRADICTS, truth)).toEqual({ came: [ODD, EVEN], unread: [] })
  })

  test('of which no node says anything is a failure of the nodes', async () => {
    const silent = saying(() => error(-32_603, 'not today'))
    await expect(read(silent)).rejects.toThrow(NodeFailure)
    const { chain, stop } = await startScripted([CONTRADICTS])
    stops.push(stop)
    // Nor is it passed over where nobody sets it aside.
    await expect(chain.arrivals([BLOCK], async () => new Set([BOB]))).rejects.toThrow(NodeFailure)
  })

  test('that is asked for again is not told by a node that shows its block without it', async () => {
    const { chain, stop } = await startScripted([saying(wholeOf(ODD, 10))])
    stops.push(stop)
    const again = (hash: string) =>
      chain.arrivals([{ ...BLOCK, transactionHashes: [hash as TransactionHash] }], ours, () => {
        throw new Error('it is told')
      })
    const ours = async () => new Set([BOB])
    expect(await again(String(ODD))).toHaveLength(2)
    await expect(again(encodeBase58(new Uint8Array(64).fill(7)))).rejects.toThrow(NodeFailure)
  })

  test('of nobody here is not asked about', async () => {
    const { chain, stop } = await startScripted([CONTRADICTS])
    stops.push(stop)
    expect(await chain.arrivals([BLOCK], async () => new Set())).toEqual([])
  })
})
