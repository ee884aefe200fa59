import { afterEach, describe, expect, test } from 'vitest'
import { limits } from '../../kernel/limits.ts'
import { NodeFailure } from '../chain.ts'
import type { Block, TransactionHash } from '../chain.ts'
import type { Script } from '../json-rpc/test-node.ts'
import { encodeBase58 } from './base58.ts'
import { SYSTEM_PROGRAM } from './programs.ts'
import { openArrivals } from './test-arrivals.ts'
import { ALICE, BOB, wallet } from './test-scene.ts'
import { error, result, script, startScripted } from './test-script.ts'

const KEYS = [ALICE, BOB, SYSTEM_PROGRAM]
const HASHES = Array.from(
  { length: limits.unreadRecordsPerBlockMax + 2 },
  (_, serial) => encodeBase58(new Uint8Array(64).fill(serial + 1)) as TransactionHash,
)
const [GOOD, ODD] = HASHES
const BLOCK: Block = {
  ...{ height: 20n, hash: wallet(21), parentHash: wallet(20), timeMilliseconds: 0 },
  transactionHashes: HASHES,
}
/** Alice gives Bob forty lamports. */
const META = {
  ...{ err: null, fee: 5_000, loadedAddresses: { writable: [], readonly: [] } },
  ...{ preBalances: [9_000, 1, 1], postBalances: [3_960, 41, 1] },
  ...{ preTokenBalances: [], postTokenBalances: [], innerInstructions: [] },
}
const wholeOf = (hash: string) => ({
  ...{ slot: 20, version: 0, meta: META },
  transaction: {
    signatures: [hash],
    message: {
      header: { numRequiredSignatures: 1 },
      accountKeys: KEYS,
      instructions: [
        {
          ...{ programIdIndex: 2, accounts: [0, 1] },
          data: encodeBase58(Uint8Array.of(2, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0)),
        },
      ],
    },
  },
})
type Change = (hash: TransactionHash) => Readonly<Record<string, unknown>>
const recordsOf = (change: Change) =>
  HASHES.map((hash) => ({
    transaction: { signatures: [hash], accountKeys: KEYS.map((pubkey) => ({ pubkey })) },
    meta: META,
    ...change(hash),
  }))
/** A node that shows some records of the block otherwise. */
const showing = (change: Change, getBlock?: () => unknown): Script =>
  script({
    getSlot: 30,
    getBlock:
      getBlock ?? (() => result({ blockhash: BLOCK.hash, transactions: recordsOf(change) })),
    getTransaction: ([hash]: [string]) => result(wholeOf(hash)),
  })
const AS_IT_WAS = showing(() => ({}))
const odd =
  (record: Readonly<Record<string, unknown>>, count = 1): Change =>
  (hash) =>
    HASHES.indexOf(hash) >= 1 && HASHES.indexOf(hash) <= count ? record : {}

const stops: (() => Promise<void>)[] = []
const { read, stop: stopReading } = openArrivals(BLOCK)
afterEach(async () => {
  await stopReading()
  await Promise.all(stops.splice(0).map((stop) => stop()))
})
const others = HASHES.filter((hash) => hash !== ODD)
const ASIDE = { transactionHash: ODD, height: 20n, blockHash: BLOCK.hash }

describe('a record of a block', () => {
  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['has no meta', { meta: null }],
    ['does not say whether it failed', { meta: { ...META, err: undefined } }],
    ['lacks a balance', { meta: { ...META, postBalances: [1] } }],
    ['has no accounts', { transaction: { signatures: [ODD], accountKeys: null } }],
    [
      'names none of its accounts',
      {
        transaction: { signatures: [ODD], accountKeys: [] },
        meta: { ...META, preBalances: [], postBalances: [] },
      },
    ],
    [
      'names no owner of tokens',
      { meta: { ...META, postTokenBalances: [{ accountIndex: 1, mint: wallet(3) }, 'x'] } },
    ],
  ])(
    'that %s on every node is named, and keeps nobody from what the others brought',
    async (_, record) => {
      const node = showing(odd(record))
      expect(await read(node)).toEqual({ came: others, unread: [ASIDE] })
      expect(await read(node, node)).toEqual({ came: others, unread: [ASIDE] })
    },
  )

  test('that one node shows as it was is not set aside', async () => {
    const node = showing(odd({ meta: null }))
    expect(await read(node, AS_IT_WAS)).toEqual({ came: HASHES, unread: [] })
  })

  test('is passed over nowhere else, and not where there are many: then the failure names the first, and what to do', async () => {
    const many = showing(odd({ meta: null }, limits.unreadRecordsPerBlockMax + 1))
    await expect(read(many)).rejects.toThrow(NodeFailure)
    await expect(read(many)).rejects.toThrow(
      new RegExp(
        `transaction ${ODD} of block 20 cannot be read: .*; put a node of another provider`,
      ),
    )
    const most = showing(odd({ meta: null }, limits.unreadRecordsPerBlockMax))
    const { came, unread } = await read(most)
    expect([came?.[0], unread.length]).toEqual([GOOD, limits.unreadRecordsPerBlockMax])
    const { chain, stop } = await startScripted([showing(odd({ meta: null }))])
    stops.push(stop)
    await expect(chain.arrivals([BLOCK], async () => new Set([BOB]))).rejects.toThrow(NodeFailure)
  })

  test('under another name is a failure: what is set aside is what stands in the block', async () => {
    const stranger = encodeBase58(new Uint8Array(64).fill(99))
    const renamed = showing(
      odd({ meta: null, transaction: { signatures: [stranger], accountKeys: [] } }),
    )
    await expect(read(renamed)).rejects.toThrow(NodeFailure)
    await expect(read(renamed, renamed)).rejects.toThrow(`without transaction ${ODD}`)
    expect(await read(renamed, AS_IT_WAS)).toEqual({ came: HASHES, unread: [] })
  })

  test('without a name is known by the names of all others', async () => {
    for (const signatures of [[], [null], ['x'], null]) {
      const nameless = showing(odd({ transaction: { signatures, accountKeys: [] } }))
      expect(await read(nameless)).toEqual({ came: others, unread: [ASIDE] })
      expect(await read(nameless, AS_IT_WAS)).toEqual({ came: HASHES, unread: [] })
    }
    const [nobodys, stranger] = [null, encodeBase58(new Uint8Array(64).fill(99))]
    // One without a name, and one that is no transaction of the block: which of the two is meant, nobody can tell.
    const both = showing((hash) =>
      [1, 2].includes(HASHES.indexOf(hash))
        ? {
            transaction: { signatures: [hash === ODD ? nobodys : stranger], accountKeys: [] },
          }
        : {},
    )
    await expect(read(both)).rejects.toThrow(NodeFailure)
  })

  test('that is shown twice came once', async () => {
    const twice = (some: readonly object[]) =>
      showing(
        () => ({}),
        () => result({ blockhash: BLOCK.hash, transactions: [...recordsOf(() => ({})), ...some] }),
      )
    expect(await read(twice(recordsOf(() => ({}))))).toEqual({ came: HASHES, unread: [] })
    // Whatever its second one is like.
    const [, again = {}] = recordsOf(odd({ meta: null }))
    expect(await read(twice([again]))).toEqual({ came: HASHES, unread: [] })
  })

  test('of which no name is needed is no matter of whoever asks for another one again', async () => {
    const nameless = showing(odd({ transaction: { signatures: [], accountKeys: [] } }))
    const { chain, stop } = await startScripted([nameless])
    stops.push(stop)
    const unread: unknown[] = []
    const again = async (hash: TransactionHash | undefined) => {
      const block = { ...BLOCK, transactionHashes: hash === undefined ? [] : [hash] }
      const ours = async () => new Set([BOB])
      const came = await chain.arrivals([block], ours, (each) => void unread.push(each))
      return came?.map(({ transactionHash }) => transactionHash)
    }
    expect(await again(GOOD)).toContain(GOOD)
    expect(unread).toEqual([])
    expect(await again(ODD)).not.toContain(ODD)
    expect(unread).toEqual([ASIDE])
  })

  test('in a block that is not shown is a failure', async () => {
    await expect(
      read(
        showing(
          () => ({}),
          () => error(-32_603, 'no'),
        ),
      ),
    ).rejects.toThrow(NodeFailure)
    await expect(
      read(
        showing(
          () => ({}),
          () => result({ blockhash: BLOCK.hash, transactions: null }),
        ),
      ),
    ).rejects.toThrow(NodeFailure)
  })

  test('that was set aside is told once a node shows it', async () => {
    const { chain, stop } = await startScripted([AS_IT_WAS])
    stops.push(stop)
    const again = await chain.arrivals(
      [{ ...BLOCK, transactionHashes: ODD === undefined ? [] : [ODD] }],
      async () => new Set([BOB]),
      () => {
        throw new Error('it is told')
      },
    )
    expect(again?.map(({ transactionHash }) => transactionHash)).toContain(ODD)
  })
})
