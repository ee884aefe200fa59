import { expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import type { Block, TransactionHash } from '../chain.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { NotCarried } from '../venue.ts'
import { addressFromBytes } from './account.ts'
import { encodeBase58 } from './base58.ts'
import { openFacts } from './facts.ts'
import { JUPITER_PROGRAM, MEMO_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from './programs.ts'
import { readSightings } from './sightings.ts'
import type { OpenedModule } from './venue-module.ts'

const HASH = encodeBase58(new Uint8Array(64).fill(9)) as TransactionHash
const addressOf = (serial: number) => addressFromBytes(new Uint8Array(32).fill(serial))
const [ALICE, BOB, ALICES, BOBS] = [addressOf(1), addressOf(2), addressOf(3), addressOf(4)]
const [MINT, BLOCK] = [addressOf(5), addressOf(6)]
const KEYS: readonly string[] = [
  ...[ALICE, BOB, ALICES, BOBS, MINT],
  ...[MEMO_PROGRAM, TOKEN_PROGRAM, JUPITER_PROGRAM, SYSTEM_PROGRAM],
]
const COMMITMENT = 'c5'.repeat(32)

const call = (program: string, accounts: readonly string[], data: Uint8Array) => ({
  programIdIndex: KEYS.indexOf(program),
  accounts: accounts.map((each) => KEYS.indexOf(each)),
  data: encodeBase58(data),
})
const MEMO = call(MEMO_PROGRAM, [], Buffer.from(`florin1:${COMMITMENT}`))
const ROUTE = call(JUPITER_PROGRAM, [ALICE], Uint8Array.of(1))
/** TransferChecked of 250 units from Alice's account to Bob's. */
const MOVE = call(
  TOKEN_PROGRAM,
  [ALICES, MINT, BOBS, ALICE],
  Uint8Array.of(12, 250, 0, 0, 0, 0, 0, 0, 0, 6),
)

/** 40 lamports of Alice's to Bob. */
const GIFT = call(SYSTEM_PROGRAM, [ALICE, BOB], Uint8Array.of(2, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0))

/** What Alice's account and Bob's hold together: 1,250. */
const held = (alices: bigint) =>
  (
    [
      [ALICES, ALICE, alices],
      [BOBS, BOB, 1_250n - alices],
    ] as const
  ).map(([account, owner, amount]) => ({
    accountIndex: KEYS.indexOf(account),
    ...{ mint: MINT, owner, programId: TOKEN_PROGRAM, uiTokenAmount: { amount: `${amount}` } },
  }))

/** What is sighted of Alice's transaction, which took 250 of hers. */
async function sightedOf(
  instructions: readonly object[],
  meta: object,
  modules: readonly OpenedModule[] = [],
) {
  const whole = {
    ...{ slot: 20, version: 0 },
    transaction: {
      signatures: [HASH],
      message: {
        header: {
          ...{ numRequiredSignatures: 1, numReadonlySignedAccounts: 0 },
          numReadonlyUnsignedAccounts: 4,
        },
        ...{ accountKeys: KEYS, recentBlockhash: BLOCK, instructions },
      },
    },
    meta: {
      ...{ err: null, fee: 5_000, loadedAddresses: { writable: [], readonly: [] } },
      preBalances: [1_000_000, ...KEYS.slice(1).map(() => 1)],
      postBalances: [995_000, ...KEYS.slice(1).map(() => 1)],
      ...{ preTokenBalances: held(1_000n), postTokenBalances: held(750n) },
      ...meta,
    },
  }
  const accountKeys = KEYS.map((pubkey) => ({ pubkey }))
  const inBlock = { transaction: { accountKeys, signatures: [HASH] } }
  const read: Transport['read'] = async (asked) =>
    asked.parse(asked.method === 'getBlock' ? { blockhash: BLOCK, transactions: [inBlock] } : whole)
  const transport = { read } as Transport
  const block: Block = {
    ...{ height: 20n, hash: BLOCK, parentHash: '', timeMilliseconds: 0 },
    transactionHashes: [HASH],
  }
  const facts = openFacts({ transport, clock: systemClock, slotMilliseconds: () => 400 })
  return readSightings({ transport, facts, modules }, [block], async () => ({
    senders: new Set([ALICE]),
    commitments: new Set(),
  }))
}

test('a sale to a router is told by what its sender has less, where the node does not keep what the router called', async () => {
  const spent = [{ asset: MINT, amount: 250n, effectIndex: 1 }]
  const told = { succeeded: true, commitments: [COMMITMENT] }
  for (const innerInstructions of [null, undefined]) {
    expect(await sightedOf([MEMO, ROUTE], { innerInstructions })).toMatchObject([
      { ...told, transfers: [], spent },
    ])
  }
  const kept = [{ index: 1, instructions: [MOVE] }]
  const [whole] = (await sightedOf([MEMO, ROUTE], { innerInstructions: kept })) ?? []
  expect(whole).toMatchObject({ ...told, transfers: [{ from: ALICE, to: BOB, amount: 250n }] })
  expect(whole?.spent).toBeUndefined()
})

test('what is told by a transfer, or was moved without a router, or failed, is not told as spent', async () => {
  const innerInstructions = null
  const [moved] = (await sightedOf([MEMO, ROUTE, MOVE], { innerInstructions })) ?? []
  expect(moved).toMatchObject({ transfers: [{ amount: 250n }], spent: [] })
  const [plain] = (await sightedOf([MEMO, MOVE], { innerInstructions })) ?? []
  expect(plain?.spent).toBeUndefined()
  const [failed] =
    (await sightedOf([MEMO, ROUTE], { innerInstructions, err: 'AccountInUse' })) ?? []
  expect(failed?.spent).toBeUndefined()
})

test('what a router gave is told by what the balances of its caller did, what that gave away beside it apart', async () => {
  const balances = (alices: number, bobs: number) => [alices, bobs, ...KEYS.slice(2).map(() => 1)]
  const sold = [
    { asset: 'native', delta: 700n },
    { asset: MINT, delta: -250n },
  ]
  for (const innerInstructions of [null, [{ index: 1, instructions: [MOVE] }]]) {
    const alone = { innerInstructions, postBalances: balances(995_700, 1) }
    expect(await sightedOf([MEMO, ROUTE], alone)).toMatchObject([{ senderChanges: sold }])
    const beside = { innerInstructions, postBalances: balances(995_660, 41) }
    expect(await sightedOf([MEMO, ROUTE, GIFT], beside)).toMatchObject([{ senderChanges: sold }])
  }
  const [plain] = (await sightedOf([MEMO, GIFT], { innerInstructions: [] })) ?? []
  expect(plain?.senderChanges).toBeUndefined()
})

test('what only a module tells is untold where that fails at it, and not where its program is called twice or nothing happened', async () => {
  const read = () => {
    throw new NotCarried('a bug of somebody else')
  }
  const none = () => []
  const failing: OpenedModule = {
    ...{ name: 'curve', program: JUPITER_PROGRAM },
    venue: {
      ...{ dataBytes: 1, accounts: none, opens: none, read },
      ...{ quote: read, trade: read },
    },
  }
  const sighted = (calls: readonly object[], meta: object = {}) =>
    sightedOf([MEMO, ...calls], { innerInstructions: null, ...meta }, [failing])
  expect(await sighted([ROUTE])).toMatchObject([{ succeeded: true, isUntold: true, transfers: [] }])
  for (const other of [
    await sighted([ROUTE, ROUTE]),
    await sighted([ROUTE], { err: 'AccountInUse', postTokenBalances: held(1_000n) }),
  ]) {
    expect(other).toHaveLength(1)
    expect(other?.[0]?.isUntold).toBeUndefined()
  }
})

test('what no node tells in a way that can be believed is untold, and what failed did nothing', async () => {
  const innerInstructions: readonly unknown[] = []
  const paid = { preTokenBalances: held(1_000n), postTokenBalances: held(750n), innerInstructions }
  const [told] = (await sightedOf([MEMO, MOVE], paid)) ?? []
  expect(told).toMatchObject({ succeeded: true, transfers: [{ amount: 250n }] })
  expect(told?.isUntold).toBeUndefined()
  const untold = { succeeded: true, commitments: [COMMITMENT], isUntold: true }
  const lies = [
    { ...paid, postTokenBalances: held(751n) },
    { ...paid, postTokenBalances: held(750n).slice(1) },
    { ...paid, preTokenBalances: null },
    { ...paid, postBalances: [995_001, ...KEYS.slice(1).map(() => 1)] },
  ]
  for (const meta of lies) {
    expect(await sightedOf([MEMO, MOVE], meta)).toMatchObject([untold])
  }
  const postTokenBalances = held(1_000n)
  const failure = { ...paid, postTokenBalances, err: 'AccountInUse' }
  const [failed] = (await sightedOf([MEMO, MOVE], failure)) ?? []
  expect(failed).toMatchObject({ succeeded: false, transfers: [] })
  expect(failed?.isUntold).toBeUndefined()
  // Balances that moved contradict that it failed.
  for (const meta of lies.filter((each) => each.preTokenBalances !== null)) {
    const doubted = { ...untold, isFailureDoubted: true }
    expect(await sightedOf([MEMO, MOVE], { ...meta, err: 'AccountInUse' })).toMatchObject([doubted])
  }
})
