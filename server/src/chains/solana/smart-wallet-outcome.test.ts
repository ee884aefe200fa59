import { describe, expect, onTestFinished, test } from 'vitest'
import { NodeFailure } from '../chain.ts'
import type { Address, TransactionHash } from '../chain.ts'
import { addressBytes } from './account.ts'
import { encodeBase58 } from './base58.ts'
import { outcomeFrom } from './outcome.ts'
import { MEMO_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts'
import { ALICE, ALICES, BOB, BOBS, CAROL, HASH as BLOCK, MINT, wallet } from './test-scene.ts'
import { result, script, startScripted } from './test-script.ts'
import { associatedAccount } from './token-account.ts'

const HASH = encodeBase58(new Uint8Array(64).fill(9)) as TransactionHash
const OTHER = encodeBase58(new Uint8Array(64).fill(8)) as TransactionHash
const [SETTLER, CLIENT, PROGRAM, OTHERS] = [wallet(11), wallet(12), wallet(13), wallet(14)]
const CAROLS = associatedAccount(CAROL, TOKEN_PROGRAM, MINT).address
const ELSEWHERE = associatedAccount(BOB, TOKEN_2022_PROGRAM, MINT).address
const ACCOUNTS = [ALICES, BOBS, OTHERS, CAROLS, ELSEWHERE]
const KEYS = [SETTLER, CLIENT, ...ACCOUNTS, ALICE, BOB, CAROL, MINT, PROGRAM, TOKEN_PROGRAM]
const at = (address: string): number => KEYS.findIndex((each) => each === address)

const AMOUNT = 250n
function move(amount: bigint, to: string = BOBS, from: string = ALICES, by = ALICE): object {
  const data = Buffer.alloc(10)
  data.writeUInt8(12)
  data.writeBigUInt64LE(amount, 1)
  data.writeUInt8(6, 9)
  const accounts = [from, MINT, to, by].map(at)
  return { programIdIndex: at(TOKEN_PROGRAM), accounts, data: encodeBase58(data) }
}
/** The owner of an account makes somebody else its owner. Source: spl-token, `SetAuthority`. */
const handOver = (account: string, by: string, to: Address): object => ({
  programIdIndex: at(TOKEN_PROGRAM),
  accounts: [account, by].map(at),
  data: encodeBase58(Buffer.concat([Buffer.of(6, 2, 1), addressBytes(to)])),
})
const held = (account: string, owner: string, amount: bigint, change: object = {}) => ({
  accountIndex: at(account),
  mint: MINT,
  owner,
  programId: TOKEN_PROGRAM,
  uiTokenAmount: { amount: `${amount}` },
  ...change,
})

interface Shown {
  readonly signers?: number
  readonly program?: string
  readonly inner?: unknown
  readonly pre?: readonly object[] | null
  readonly post?: readonly object[] | null
  readonly header?: object
}

/** What the chain shows of a transaction whose second instruction calls a program. */
function transaction({
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
  return {
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
}
const named = (hash: unknown) => ({ ...transaction().transaction, signatures: [hash] })
const shown = (change: Shown = {}) => outcomeFrom(transaction(change), HASH).transfers

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
    const unmoved = [held(ALICES, ALICE, 1_000n), held(BOBS, BOB, 0n)]
    expect(shown({ inner: null, post: unmoved })).toEqual([])
    const made = [held(ALICES, ALICE, 1_000n)]
    expect(shown({ inner: null, pre: made })).toEqual([PAID])
  })

  test('is unknown where the node does not say who signed', () => {
    expect(() => shown({ header: {} })).toThrow(NodeFailure)
  })
})

describe('what came to an account that is not where its owner is paid', () => {
  test('is no payment to who is made its owner after the money went on', () => {
    const within = [
      move(AMOUNT, OTHERS),
      move(AMOUNT, CAROLS, OTHERS, CLIENT),
      handOver(OTHERS, CLIENT, BOB),
    ]
    const pre = [held(ALICES, ALICE, 1_000n), held(OTHERS, CLIENT, 0n), held(CAROLS, CAROL, 0n)]
    const post = [held(ALICES, ALICE, 750n), held(OTHERS, BOB, 0n), held(CAROLS, CAROL, AMOUNT)]
    const transfers = shown({ inner: [{ index: 1, instructions: within }], pre, post })
    expect(transfers.filter(({ to }) => to === BOB)).toEqual([])
    expect(transfers.filter(({ from }) => from === ALICE)).toEqual([])
  })

  test('is no payment where the owner keeps it in an account that nobody looks at', () => {
    for (const [account, program] of [
      [OTHERS, TOKEN_PROGRAM],
      [ELSEWHERE, TOKEN_PROGRAM],
    ] as const) {
      const inner = [{ index: 1, instructions: [move(AMOUNT, account)] }]
      const pre = [held(ALICES, ALICE, 1_000n), held(account, BOB, 0n, { programId: program })]
      const post = [held(ALICES, ALICE, 750n), held(account, BOB, AMOUNT, { programId: program })]
      expect(shown({ inner, pre, post })).toEqual([])
      expect(shown({ inner: null, pre, post })).toEqual([])
    }
  })

  test('is no payment where the right account changed hands, whichever way it is read', () => {
    const inner = [{ index: 1, instructions: [move(AMOUNT)] }]
    const pre = [held(ALICES, ALICE, 1_000n), held(BOBS, CAROL, 0n)]
    for (const calls of [inner, null]) expect(shown({ inner: calls, pre })).toEqual([])
  })

  test('is a payment by whose account it was before, where that is handed over', () => {
    const post = [held(ALICES, CAROL, 750n), held(BOBS, BOB, AMOUNT)]
    for (const inner of [[{ index: 1, instructions: [move(AMOUNT)] }], null]) {
      expect(shown({ inner, post })).toEqual([PAID])
    }
  })
})

describe('what balances alone do not tell', () => {
  const before = [held(ALICES, ALICE, 1_000n), held(BOBS, BOB, 0n)]
  test.each<[string, Shown]>([
    [
      'where several gave',
      {
        pre: [held(ALICES, ALICE, 1_000n), held(CAROLS, CAROL, 1_000n)],
        post: [held(ALICES, ALICE, 900n), held(CAROLS, CAROL, 900n), held(BOBS, BOB, 200n)],
      },
    ],
    [
      'where it may have gone through somebody’s hands',
      {
        pre: [...before, held(CAROLS, CAROL, 5n)],
        post: [held(ALICES, ALICE, 750n), held(BOBS, BOB, AMOUNT), held(CAROLS, CAROL, 5n)],
      },
    ],
    [
      'where several got',
      { post: [held(ALICES, ALICE, 700n), held(BOBS, BOB, AMOUNT), held(OTHERS, CAROL, 50n)] },
    ],
    ['where more came than was given', { post: [held(ALICES, ALICE, 999n), held(BOBS, BOB, 2n)] }],
    ['where the node keeps none', { pre: null, post: null }],
    ['where it keeps none of before', { pre: null }],
    ['where it keeps none of after', { post: null }],
    [
      'where it does not say of which program the account is',
      { post: [held(ALICES, ALICE, 750n), held(BOBS, BOB, AMOUNT, { programId: undefined })] },
    ],
  ])('is unknown, %s', (_, change) => {
    expect(() => shown({ ...change, inner: null })).toThrow(NodeFailure)
  })

  test('is said of that transaction alone, where no node tells it: what else is asked is answered', async () => {
    const post = [held(ALICES, ALICE, 700n), held(BOBS, BOB, AMOUNT), held(CAROLS, CAROL, 50n)]
    const forgetful = script({
      getSlot: 30,
      getBlock: { blockhash: BLOCK },
      getTransaction: ([asked]: readonly unknown[]) =>
        result(
          asked === HASH
            ? transaction({ inner: null, post })
            : { ...transaction({ inner: null }), transaction: named(asked) },
        ),
    })
    for (const nodes of [[forgetful], [forgetful, forgetful]]) {
      const { chain, stop } = await startScripted(nodes)
      onTestFinished(stop)
      expect(await chain.outcomes([HASH, OTHER])).toMatchObject([
        { state: 'untold', height: 20n, blockHash: BLOCK },
        { state: 'mined', transfers: [PAID] },
      ])
    }
  })

  test('is asked of another node', async () => {
    const post = [held(ALICES, ALICE, 700n), held(BOBS, BOB, AMOUNT), held(CAROLS, CAROL, 50n)]
    const head = { getSlot: 30, getBlock: { blockhash: BLOCK } }
    const { chain, stop } = await startScripted([
      script({ ...head, getTransaction: transaction({ inner: null, post }) }),
      script({ ...head, getTransaction: transaction({ post }) }),
    ])
    onTestFinished(stop)
    expect(await chain.outcomes([HASH])).toMatchObject([{ state: 'mined', transfers: [PAID] }])
  })
})
