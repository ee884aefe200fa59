import { describe, expect, test } from 'vitest'
import { NodeFailure } from '../chain.ts'
import type { TransactionHash } from '../chain.ts'
import { addressFromBytes } from './account.ts'
import { encodeBase58 } from './base58.ts'
import { outcomeFrom } from './outcome.ts'
import { JUPITER_PROGRAM, MEMO_PROGRAM, TOKEN_PROGRAM } from './programs.ts'

const HASH = encodeBase58(new Uint8Array(64).fill(9)) as TransactionHash
const [ALICE, BOB, ALICES, BOBS, MINT] = [1, 2, 3, 4, 5].map((serial) =>
  addressFromBytes(new Uint8Array(32).fill(serial)),
)
const KEYS = [ALICE, BOB, ALICES, BOBS, MINT, MEMO_PROGRAM, TOKEN_PROGRAM, JUPITER_PROGRAM]
const at = (address: string | undefined): number => KEYS.findIndex((key) => key === address)

const call = (program: string, accounts: readonly (string | undefined)[], data: Uint8Array) => ({
  programIdIndex: at(program),
  accounts: accounts.map(at),
  data: encodeBase58(data),
})
/** TransferChecked of 250 units from Alice's account to Bob's. */
const MOVE = call(
  TOKEN_PROGRAM,
  [ALICES, MINT, BOBS, ALICE],
  Uint8Array.of(12, 250, 0, 0, 0, 0, 0, 0, 0, 6),
)
const MEMO = call(MEMO_PROGRAM, [], Buffer.from('florin1:00'))
const ROUTE = call(JUPITER_PROGRAM, [ALICE], Uint8Array.of(1))

/** What Alice's account and Bob's hold together: 1,250. */
const held = (alices: bigint) =>
  [
    [ALICES, ALICE, alices],
    [BOBS, BOB, 1_250n - alices],
  ].map(([account, owner, amount]) => ({
    accountIndex: KEYS.findIndex((key) => key === account),
    ...{ mint: MINT, owner, programId: TOKEN_PROGRAM, uiTokenAmount: { amount: `${amount}` } },
  }))

const shown = (instructions: readonly object[], meta: object) => ({
  slot: 20,
  version: 0,
  transaction: { signatures: [HASH], message: { accountKeys: KEYS, instructions } },
  meta: {
    ...{ err: null, fee: 5_000, loadedAddresses: { writable: [], readonly: [] } },
    preBalances: [1_000_000, ...KEYS.slice(1).map(() => 1)],
    postBalances: [995_000, ...KEYS.slice(1).map(() => 1)],
    ...{ preTokenBalances: held(1_000n), postTokenBalances: held(750n), innerInstructions: [] },
    ...meta,
  },
})
const outcomeOf = (instructions: readonly object[], meta: object = {}) =>
  outcomeFrom(shown(instructions, meta), HASH)

// What a node does not keep is not what did not happen: a transaction that is in and moved nothing ends its payment as a failed one.
describe('what a transaction of ours moved is not known', () => {
  test('where the node does not tell the token accounts around a transfer', () => {
    expect(outcomeOf([MOVE, MEMO]).transfers).toMatchObject([
      { from: ALICE, to: BOB, amount: 250n },
    ])
    for (const list of ['preTokenBalances', 'postTokenBalances']) {
      for (const told of [null, undefined]) {
        expect(() => outcomeOf([MOVE, MEMO], { [list]: told })).toThrow(NodeFailure)
        expect(outcomeOf([MEMO], { [list]: told }).transfers).toEqual([])
      }
    }
  })

  test('where a router sold tokens and the node does not tell what it called', () => {
    const innerInstructions = [{ index: 1, instructions: [MOVE] }]
    expect(outcomeOf([MEMO, ROUTE], { innerInstructions }).transfers).toMatchObject([
      { from: ALICE, to: BOB, amount: 250n },
    ])
    for (const kept of [null, undefined]) {
      const nothing = { innerInstructions: kept }
      expect(() => outcomeOf([MEMO, ROUTE], nothing)).toThrow(NodeFailure)
      expect(() => outcomeOf([MEMO, ROUTE], { ...nothing, postTokenBalances: null })).toThrow()
      // A purchase is told by what it takes, and its proceeds by the balances.
      const bought = { ...nothing, postTokenBalances: held(1_200n) }
      expect(outcomeOf([MEMO, ROUTE], bought)).toMatchObject({
        transfers: [],
        senderChanges: [{ asset: MINT, delta: 200n }],
      })
      // One that failed moved nothing, whoever tells it.
      const failed = { ...nothing, err: 'AccountInUse', postTokenBalances: held(1_000n) }
      expect(outcomeOf([MEMO, ROUTE], failed)).toMatchObject({ succeeded: false })
    }
  })
})
