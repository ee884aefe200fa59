import { describe, expect, test } from 'vitest'
import type { TransactionHash } from '../chain.ts'
import { encodeBase58 } from './base58.ts'
import { outcomeFrom } from './outcome.ts'
import { JUPITER_PROGRAM, NATIVE_MINT } from './programs.ts'
import { ALICE, ALICES, MINT, TOKEN_RENT, wallet } from './test-scene.ts'

const HASH = encodeBase58(new Uint8Array(64).fill(9)) as TransactionHash
const GIVEN = 40n
const FEE = 5_000n

/** A sale for `GIVEN` lamports, around an account of wrapped lamports that is gone at its end. */
function sale(wrapped: { readonly lamports: bigint; readonly amount: bigint } | null) {
  const before = wrapped?.lamports ?? 0n
  const held = (accountIndex: number, mint: string, amount: bigint) => ({
    accountIndex,
    mint,
    owner: ALICE,
    uiTokenAmount: { amount: `${amount}` },
  })
  const result = {
    slot: 20,
    transaction: {
      signatures: [HASH],
      message: {
        accountKeys: [ALICE, ALICES, wallet(9), JUPITER_PROGRAM],
        instructions: [{ programIdIndex: 3, accounts: [0], data: encodeBase58(Uint8Array.of(1)) }],
      },
    },
    meta: {
      err: null,
      fee: Number(FEE),
      preBalances: [1_000_000, 100, Number(before), 1],
      postBalances: [Number(1_000_000n + before + GIVEN - FEE), 100 - Number(GIVEN), 0, 1],
      preTokenBalances: [
        held(1, MINT, 1_000n),
        ...(wrapped === null ? [] : [held(2, NATIVE_MINT, wrapped.amount)]),
      ],
      postTokenBalances: [held(1, MINT, 750n)],
      innerInstructions: [],
    },
  }
  return outcomeFrom(result, HASH).senderChanges
}

describe('what a sale gave', () => {
  const expected = [
    { asset: 'native', delta: GIVEN },
    { asset: MINT, delta: -250n },
  ]
  test('is what came in, where the wallet had nothing wrapped', () => {
    expect(sale(null)).toEqual(expected)
  })

  test.each([0n, 700n])('is no more where %d wrapped lamports were paid out with it', (amount) => {
    expect(sale({ lamports: TOKEN_RENT + amount, amount })).toEqual(expected)
  })
})
