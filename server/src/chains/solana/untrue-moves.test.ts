import { expect, test } from 'vitest'
import type { Address } from '../chain.ts'
import { encodeBase58 } from './base58.ts'
import { ASSOCIATED_TOKEN_PROGRAM, NATIVE_MINT, SYSTEM_PROGRAM, TOKEN_PROGRAM } from './programs.ts'
import { ALICE, ALICES, BOB, BOBS, MINT, wallet } from './test-scene.ts'
import { areMovesUntrue } from './untrue-moves.ts'

const WRAPPED = wallet(77)
const ACCOUNTS = [ALICE, ALICES, BOBS, WRAPPED]

function call(program: Address, accounts: readonly Address[], ...data: readonly number[]) {
  return { index: 0, program, accounts, data: encodeBase58(Uint8Array.from(data)) }
}
const moved = (amount: number) =>
  call(TOKEN_PROGRAM, [ALICES, MINT, BOBS, ALICE], 12, amount, 0, 0, 0, 0, 0, 0, 0, 6)
const paid = call(SYSTEM_PROGRAM, [ALICE, WRAPPED], 2, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0)
const made = call(ASSOCIATED_TOKEN_PROGRAM, [ALICE, WRAPPED, BOB, NATIVE_MINT], 1)

const held = (accountIndex: number, mint: Address, owner: Address, amount: number) => ({
  ...{ accountIndex, mint, owner, programId: TOKEN_PROGRAM },
  uiTokenAmount: { amount: `${amount}` },
})
const around = (before: number, after: number, wrapped?: number) => ({
  preTokenBalances: [held(1, MINT, ALICE, 100), held(2, MINT, BOB, before)],
  postTokenBalances: [
    held(1, MINT, ALICE, 75),
    held(2, MINT, BOB, after),
    ...(wrapped === undefined ? [] : [held(3, NATIVE_MINT, BOB, wrapped)]),
  ],
})

test('balances are those that the instructions leave behind', () => {
  expect(areMovesUntrue(around(0, 25), ACCOUNTS, [moved(25)])).toBe(false)
  expect(areMovesUntrue(around(0, 26), ACCOUNTS, [moved(25)])).toBe(true)
  expect(areMovesUntrue(around(0, 25), ACCOUNTS, [moved(24)])).toBe(true)
  expect(areMovesUntrue(around(0, 25), ACCOUNTS, [])).toBe(true)
})

test('lamports that lay where an account of wrapped ones is made are its tokens, and nothing is untrue', () => {
  // Anybody can have such an account made beside a payment, and would hold up whoever reads its block.
  expect(areMovesUntrue(around(0, 25, 7), ACCOUNTS, [moved(25), paid, made])).toBe(false)
  expect(areMovesUntrue(around(0, 26, 7), ACCOUNTS, [moved(25), paid, made])).toBe(true)
  expect(areMovesUntrue(around(0, 25, 7), ACCOUNTS, [moved(25), paid])).toBe(true)
})
