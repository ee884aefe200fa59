import { describe, expect, test } from 'vitest'
import { NodeFailure } from '../chain.ts'
import type { TransactionHash } from '../chain.ts'
import { encodeBase58 } from './base58.ts'
import { outcomeFrom } from './outcome.ts'
import { MEMO_PROGRAM, TOKEN_PROGRAM } from './programs.ts'
import { ALICE, ALICES, BOB, BOBS, CAROL, MINT, wallet } from './test-scene.ts'

const HASH = encodeBase58(new Uint8Array(64).fill(9)) as TransactionHash
const [SETTLER, CLIENT, PROGRAM, OTHERS] = [wallet(11), wallet(12), wallet(13), wallet(14)]
const KEYS = [SETTLER, CLIENT, ALICES, BOBS, OTHERS, ALICE, MINT, PROGRAM, TOKEN_PROGRAM]
const at = (address: string): number => KEYS.findIndex((each) => each === address)

const AMOUNT = 250n
function move(amount: bigint, to: string = BOBS): object {
  const data = Buffer.alloc(10)
  data.writeUInt8(12)
  data.writeBigUInt64LE(amount, 1)
  data.writeUInt8(6, 9)
  const accounts = [ALICES, MINT, to, ALICE].map(at)
  return { programIdIndex: at(TOKEN_PROGRAM), accounts, data: encodeBase58(data) }
}
const held = (account: string, owner: string, amount: bigint) => ({
  accountIndex: at(account),
  mint: MINT,
  owner,
  uiTokenAmount: { amount: `${amount}` },
})

interface Shown {
  readonly signers?: number
  readonly program?: string
  readonly inner?: unknown
  readonly pre?: readonly object[]
  readonly post?: readonly object[]
  readonly header?: object
}

/** What the chain shows of a transaction whose second instruction calls a program. */
function shown({
  signers = 2,
  program = PROGRAM,
  inner = [{ index: 1, instructions: [move(AMOUNT)] }],
  pre = [held(ALICES, ALICE, 1_000n), held(BOBS, BOB, 0n)],
  post = [held(ALICES, ALICE, 750n), held(BOBS, BOB, AMOUNT)],
  header = { numRequiredSignatures: signers },
}: Shown = {}) {
  const keys = [...KEYS, MEMO_PROGRAM]
  const call = { programIdIndex: at(program), accounts: [2, 3], data: encodeBase58(Buffer.of(1)) }
  const memo = { programIdIndex: KEYS.length, accounts: [], data: encodeBase58(Buffer.of(65)) }
  const balances = keys.map(() => 1_000_000)
  const result = {
    slot: 20,
    transaction: {
      signatures: [HASH],
      message: { header, accountKeys: keys, instructions: [memo, call] },
    },
    meta: {
      err: null,
      fee: 10_000,
      preBalances: balances,
      postBalances: [990_000, ...balances.slice(1)],
      preTokenBalances: pre,
      postTokenBalances: post,
      innerInstructions: inner,
    },
  }
  return outcomeFrom(result, HASH).transfers
}

const PAID = { asset: MINT, from: ALICE, to: BOB, amount: AMOUNT, logIndex: 1_001 }

describe('what a program moved for a smart wallet', () => {
  test('is told where somebody signed beside the fee payer, counted by its place within the call', () => {
    expect(shown()).toEqual([PAID])
    const inner = [{ index: 1, instructions: [{ ...move(0n), accounts: [2] }, move(AMOUNT)] }]
    expect(shown({ inner })).toEqual([{ ...PAID, logIndex: 2_001 }])
  })

  test('is nobody’s own transfer where the fee payer alone signed, or a plain program was called', () => {
    expect(shown({ signers: 1 })).toEqual([])
    expect(shown({ program: TOKEN_PROGRAM })).toEqual([])
  })

  test('is what arrived, where the mint keeps a part', () => {
    const post = [held(ALICES, ALICE, 750n), held(BOBS, BOB, 240n)]
    expect(shown({ post })).toEqual([{ ...PAID, amount: 240n }])
  })

  test('is nothing where the call moved nothing, and no balance counts then', () => {
    expect(shown({ inner: [] })).toEqual([])
  })

  test('is told by the balances where the node keeps no inner instructions', () => {
    for (const inner of [null, undefined]) expect(shown({ inner: inner ?? null })).toEqual([PAID])
    const three = [held(ALICES, ALICE, 700n), held(BOBS, BOB, AMOUNT), held(OTHERS, CAROL, 50n)]
    expect(shown({ inner: null, post: three })).toEqual([
      PAID,
      { ...PAID, to: CAROL, amount: 50n, logIndex: 2_001 },
    ])
  })

  test('is not guessed from balances where several gave', () => {
    const pre = [held(ALICES, ALICE, 1_000n), held(OTHERS, CAROL, 1_000n)]
    const post = [held(ALICES, ALICE, 900n), held(OTHERS, CAROL, 850n), held(BOBS, BOB, AMOUNT)]
    expect(shown({ inner: null, pre, post })).toEqual([])
  })

  test('is unknown where the node does not say who signed', () => {
    expect(() => shown({ header: {} })).toThrow(NodeFailure)
  })
})
