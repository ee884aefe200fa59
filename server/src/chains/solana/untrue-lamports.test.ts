import { expect, test } from 'vitest'
import type { Address } from '../chain.ts'
import { encodeBase58 } from './base58.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  LIGHTHOUSE_PROGRAM,
  MEMO_PROGRAM,
  NATIVE_MINT,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from './programs.ts'
import { ALICE, ALICES, BOB, BOBS, CAROL, MINT } from './test-scene.ts'
import { areLamportsUntrue } from './untrue-lamports.ts'

const ACCOUNTS = [ALICE, BOB, CAROL, ALICES, BOBS]
const FEE = 5_000
const call = (program: Address, accounts: readonly Address[], ...data: readonly number[]) => ({
  ...{ index: 0, program, accounts },
  data: encodeBase58(Uint8Array.from(data)),
})
const pay = (from: Address, to: Address, lamports: number, ...behind: readonly number[]) =>
  call(SYSTEM_PROGRAM, [from, to], 2, 0, 0, 0, lamports, 0, 0, 0, 0, 0, 0, 0, ...behind)
const move = (amount: number) =>
  call(TOKEN_PROGRAM, [ALICES, MINT, BOBS, ALICE], 12, amount, 0, 0, 0, 0, 0, 0, 0, 6)
const make = call(ASSOCIATED_TOKEN_PROGRAM, [ALICE, BOBS, BOB, MINT], 1)
const memo = call(MEMO_PROGRAM, [], 1)

/** What each account has more than before. */
const around = (deltas: readonly number[], mint: Address = MINT) => ({
  fee: FEE,
  preBalances: ACCOUNTS.map(() => 100_000),
  postBalances: ACCOUNTS.map((_, at) => 100_000 + (deltas[at] ?? 0)),
  ...Object.fromEntries(
    ['preTokenBalances', 'postTokenBalances'].map((which) => [
      which,
      [
        [3, ALICE],
        [4, BOB],
      ].map(([accountIndex, owner]) => ({
        ...{ accountIndex, mint, owner, programId: TOKEN_PROGRAM },
        uiTokenAmount: { amount: '0' },
      })),
    ]),
  ),
})
const isUntrue = (deltas: readonly number[], ...called: readonly ReturnType<typeof call>[]) =>
  areLamportsUntrue(around(deltas), ACCOUNTS, called)

test('lamports are those that transfers and the fee leave behind, several of one transaction too', () => {
  const paid = [pay(ALICE, BOB, 40), pay(ALICE, BOB, 2), pay(BOB, CAROL, 7), memo]
  expect(isUntrue([-FEE - 42, 35, 7], ...paid)).toBe(false)
  expect(isUntrue([-FEE - 42, 36, 7], ...paid)).toBe(true)
  expect(isUntrue([-FEE - 41, 35, 7], ...paid)).toBe(true)
  expect(isUntrue([-42, 35, 7], ...paid)).toBe(true)
  expect(isUntrue([-FEE - 42, 35, 0], ...paid)).toBe(true)
  // A transfer is missing, or another account's balance stands there.
  expect(isUntrue([-FEE - 42, 35, 7], ...paid.slice(1))).toBe(true)
  expect(isUntrue([-FEE - 42, 7, 35], ...paid)).toBe(true)
  expect(isUntrue([-FEE], pay(ALICE, ALICE, 40))).toBe(false)
})

test('what the System program does not read behind a transfer makes it no other', () => {
  expect(isUntrue([-FEE - 40, 40], pay(ALICE, BOB, 40, 9, 9))).toBe(false)
  expect(isUntrue([-FEE - 40, 41], pay(ALICE, BOB, 40, 9, 9))).toBe(true)
})

test('a nonce that is advanced and a price that is named move nothing', () => {
  const beside = [
    call(SYSTEM_PROGRAM, [CAROL, BOB, ALICE], 4, 0, 0, 0),
    call(COMPUTE_BUDGET_PROGRAM, [], 3),
  ]
  expect(isUntrue([-FEE - 40, 40], pay(ALICE, BOB, 40), ...beside)).toBe(false)
  expect(isUntrue([-FEE - 40, 39], pay(ALICE, BOB, 40), ...beside)).toBe(true)
})

test('of whoever pays for a token account, and of that, nothing is said; of the others it is', () => {
  const paid = [make, pay(ALICE, BOB, 40)]
  expect(isUntrue([-FEE - 2_000, 40, 0, 0, 1_960], ...paid)).toBe(false)
  expect(isUntrue([-FEE - 40, 40], ...paid)).toBe(false)
  expect(isUntrue([-FEE - 2_000, 41, 0, 0, 1_959], ...paid)).toBe(true)
  expect(isUntrue([-FEE - 2_000, 40, 0, 0, 1_961], ...paid)).toBe(true)
})

test('wrapped lamports go along with their tokens, and other tokens take none', () => {
  const deltas = [-FEE, 0, 0, -9, 9]
  expect(areLamportsUntrue(around(deltas, NATIVE_MINT), ACCOUNTS, [move(9)])).toBe(false)
  expect(areLamportsUntrue(around([-FEE], NATIVE_MINT), ACCOUNTS, [move(9)])).toBe(true)
  expect(isUntrue([-FEE], move(9))).toBe(false)
  expect(isUntrue(deltas, move(9))).toBe(true)
  // Whether they are wrapped ones nobody tells.
  const untold = { ...around(deltas), preTokenBalances: [], postTokenBalances: [] }
  expect(areLamportsUntrue(untold, ACCOUNTS, [move(9)])).toBe(false)
})

test('nothing is untrue where something else may have moved lamports, as long as none are made or lost', () => {
  const others = [
    call(LIGHTHOUSE_PROGRAM, [], 0),
    call(CAROL, [], 1),
    // A withdrawal from a nonce account, an account that is closed, a nested one that is taken back, a batch.
    call(SYSTEM_PROGRAM, [CAROL, BOB], 5, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0),
    call(TOKEN_PROGRAM, [BOBS, BOB, BOB], 9),
    call(ASSOCIATED_TOKEN_PROGRAM, [ALICES, MINT, BOBS], 2),
    call(TOKEN_PROGRAM, [], 255, 0, 0),
  ]
  for (const other of others) {
    expect([other, isUntrue([-FEE - 77, 77], pay(ALICE, BOB, 40), other)]).toEqual([other, false])
    expect([other, isUntrue([-FEE - 40, 77], pay(ALICE, BOB, 40), other)]).toEqual([other, true])
  }
})
