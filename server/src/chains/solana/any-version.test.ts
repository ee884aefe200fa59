import { afterEach, describe, expect, test } from 'vitest'
import { NodeFailure } from '../chain.ts'
import type { Block, TransactionHash, UnreadArrival } from '../chain.ts'
import type { Script } from '../json-rpc/test-node.ts'
import { encodeBase58 } from './base58.ts'
import { TOKEN_PROGRAM } from './programs.ts'
import { ALICE, ALICES, BOB, BOBS, MINT, wallet } from './test-scene.ts'
import { error, result, script, startScripted } from './test-script.ts'

const KEYS = [ALICE, BOB, ALICES, BOBS, MINT, TOKEN_PROGRAM]
const [OLD, NEW] = [8, 9].map((byte) => encodeBase58(new Uint8Array(64).fill(byte)))
const BLOCK: Block = {
  ...{ height: 20n, hash: wallet(21), parentHash: wallet(20) },
  timeMilliseconds: 1_790_000_000_000,
  transactionHashes: [OLD as TransactionHash, NEW as TransactionHash],
}
const held = (alices: number, bobs: number) =>
  [
    [2, ALICE, alices],
    [3, BOB, bobs],
  ].map(([accountIndex, owner, amount]) => ({
    ...{ accountIndex, mint: MINT, owner, programId: TOKEN_PROGRAM },
    uiTokenAmount: { amount: `${amount}` },
  }))
/** Alice gives Bob ten units. */
const META = {
  ...{ err: null, fee: 5_000 },
  ...{ preBalances: [9_000, 1, 1, 1, 1, 1], postBalances: [4_000, 1, 1, 1, 1, 1] },
  ...{ preTokenBalances: held(100, 0), postTokenBalances: held(90, 10), innerInstructions: [] },
}
const wholeOf = (version: number) => (hash: string | undefined) => ({
  ...{ slot: 20, version: hash === NEW ? version : 0, meta: META },
  transaction: {
    signatures: [hash],
    message: {
      header: {
        numRequiredSignatures: 1,
        ...{ numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 2 },
      },
      ...{ accountKeys: KEYS, recentBlockhash: wallet(19) },
      instructions: [
        {
          ...{ programIdIndex: 5, accounts: [2, 4, 3, 0] },
          data: encodeBase58(Uint8Array.of(12, 10, 0, 0, 0, 0, 0, 0, 0, 6)),
        },
      ],
    },
  },
})

interface Config {
  readonly maxSupportedTransactionVersion: number
  readonly transactionDetails?: string
}
const refusal = (version: number) =>
  error(
    -32_015,
    `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
  )
/** The first that is not known here. */
const LATER = 2

/** A node whose block 20 holds a transaction of a version; the test says how it tells that one. */
const nodeWith = ({
  version = LATER,
  told = wholeOf(version),
  knows = () => true,
}: {
  version?: number
  told?: (hash: string) => unknown
  knows?: (most: number) => boolean
} = {}): Script =>
  script({
    getSlot: 30,
    getFirstAvailableBlock: 0,
    getBlocksWithLimit: [20],
    getBlock: ([, { maxSupportedTransactionVersion: most, transactionDetails }]: [
      number,
      Config,
    ]) => {
      if (!knows(most)) return error(-32_602, 'Invalid params: no such version')
      if (transactionDetails === 'accounts' && most < version) return refusal(version)
      const fields = {
        ...{ blockhash: BLOCK.hash, previousBlockhash: BLOCK.parentHash, parentSlot: 19 },
        blockTime: 1_790_000_000,
      }
      if (transactionDetails === 'none') return result(fields)
      if (transactionDetails === 'signatures') return result({ ...fields, signatures: [OLD, NEW] })
      const transactions = [OLD, NEW].map((signature) => ({
        version: signature === NEW ? version : 0,
        transaction: { signatures: [signature], accountKeys: KEYS.map((pubkey) => ({ pubkey })) },
        meta: META,
      }))
      return result({ ...fields, transactions })
    },
    getTransaction: ([hash, { maxSupportedTransactionVersion: most }]: [string, Config]) => {
      if (!knows(most)) return error(-32_602, 'Invalid params: no such version')
      return hash === NEW && most < version ? refusal(version) : result(told(hash))
    },
  })

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
})
async function open(...scripts: readonly Script[]) {
  const scripted = await startScripted(scripts)
  stops.push(scripted.stop)
  const unread: UnreadArrival[] = []
  return {
    ...{ chain: scripted.chain, nodes: scripted.nodes, unread },
    read: async (ours: string) => {
      const found = await scripted.chain.arrivals(
        [BLOCK],
        async (addresses) => new Set(addresses.filter((each) => each === ours)),
        (each) => void unread.push(each),
      )
      return found?.map(({ transactionHash }) => transactionHash)
    },
  }
}

describe('a block that holds a transaction of a later version', () => {
  test('is read, and what every transaction in it brought', async () => {
    const { chain, read, unread, nodes } = await open(nodeWith())
    expect(await chain.blocks(20n, 1)).toEqual([BLOCK])
    expect(await read(BOB)).toEqual([OLD, NEW])
    expect(unread).toEqual([])
    // The node that refused is asked again, and no more of it than what it refused.
    expect(nodes[0]?.requests.at(-1)).toEqual(['getTransaction'])
    expect(await chain.outcomes([NEW as TransactionHash])).toMatchObject([
      { state: 'mined', succeeded: true, blockHash: BLOCK.hash },
    ])
  })

  test('holds up nobody where it is told otherwise: it is set aside if it may be ours, and passed over if not', async () => {
    const whole = wholeOf(LATER)
    const told = (hash: string) =>
      hash === NEW
        ? { ...whole(hash), transaction: { signatures: [NEW], message: {} } }
        : whole(hash)
    const node = nodeWith({ told })
    const ours = await open(node)
    expect(await ours.read(BOB)).toEqual([OLD])
    expect(ours.unread).toEqual([
      { transactionHash: NEW, height: 20n, blockHash: BLOCK.hash, address: BOB },
    ])
    const others = await open(node)
    expect(await others.read(wallet(7))).toEqual([])
    expect(others.unread).toEqual([])
  })

  test('is a failure of a node that takes no such number, and the next one is asked', async () => {
    const poor = nodeWith({ knows: (most) => most < LATER })
    const { chain, read: alone } = await open(poor)
    expect(await chain.blocks(20n, 1)).toEqual([BLOCK])
    await expect(alone(BOB)).rejects.toThrow(NodeFailure)
    const { read } = await open(poor, nodeWith())
    expect(await read(BOB)).toEqual([OLD, NEW])
  })
})

test.each([0, 1])('a block with a transaction of version %i is asked for once', async (version) => {
  const { chain, read, nodes } = await open(nodeWith({ version }))
  expect(await chain.blocks(20n, 1)).toEqual([BLOCK])
  expect(await read(BOB)).toEqual([OLD, NEW])
  expect(nodes[0]?.requests.flat().filter((method) => method === 'getBlock')).toHaveLength(2)
  expect(await chain.outcomes([NEW as TransactionHash])).toMatchObject([
    { state: 'mined', succeeded: true, blockHash: BLOCK.hash },
  ])
  expect(nodes[0]?.requests.flat().filter((method) => method === 'getTransaction')).toHaveLength(3)
})
