import { afterEach, describe, expect, test } from 'vitest'
import { NodeFailure } from '../chain.ts'
import type { Chain, Outcome, TransactionHash } from '../chain.ts'
import type { TestNode } from '../json-rpc/test-node.ts'
import { addressFromBytes } from './account.ts'
import { encodeBase58 } from './base58.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  JUPITER_PROGRAM,
  MEMO_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from './programs.ts'
import { error, result, script, startScripted } from './test-script.ts'
import type { Lines } from './test-script.ts'

const HASH = encodeBase58(new Uint8Array(64).fill(9)) as TransactionHash
const key = (serial: number): string => addressFromBytes(new Uint8Array(32).fill(serial))
const [ALICE, BOB, CAROL, MINT, ALICES, BOBS, CAROLS, BLOCK] = [1, 2, 3, 4, 5, 6, 7, 8].map(key)
/** Accounts in the order in which the transactions below count them. */
const KEYS = [
  ALICE,
  BOB,
  ALICES,
  BOBS,
  CAROLS,
  MINT,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  TOKEN_2022_PROGRAM,
  MEMO_PROGRAM,
  JUPITER_PROGRAM,
  ASSOCIATED_TOKEN_PROGRAM,
]
const at = (address: string | undefined): number => KEYS.indexOf(address ?? '')

const u64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}
interface Instruction {
  readonly programIdIndex: number
  readonly accounts: readonly number[]
  readonly data: string
}
const call = (
  program: string,
  accounts: readonly (string | undefined)[],
  ...data: readonly (Buffer | number)[]
): Instruction => ({
  programIdIndex: at(program),
  accounts: accounts.map(at),
  data: encodeBase58(
    Buffer.concat(data.map((part) => (typeof part === 'number' ? Buffer.of(part) : part))),
  ),
})
const pay = (lamports: bigint, to = BOB): Instruction =>
  call(SYSTEM_PROGRAM, [ALICE, to], 2, 0, 0, 0, u64(lamports))
const move = (amount: bigint, from = ALICES, to = BOBS, program = TOKEN_PROGRAM): Instruction =>
  call(program, [from, MINT, to, ALICE], 12, u64(amount), 6)
const make = call(ASSOCIATED_TOKEN_PROGRAM, [ALICE, BOBS, BOB, MINT], 1)
const memo = call(MEMO_PROGRAM, [], Buffer.from('florin1:00'))

/** Token balances as a node lists them: account, owner, amount. */
const holdings = (...list: readonly [string | undefined, string | undefined, bigint][]): object[] =>
  list.map(([account, owner, amount]) => ({
    accountIndex: at(account),
    mint: MINT,
    owner,
    programId: TOKEN_PROGRAM,
    uiTokenAmount: { amount: `${amount}`, decimals: 6, uiAmount: null, uiAmountString: '' },
  }))

const header = { numRequiredSignatures: 1 }
interface Shown {
  readonly instructions: readonly Instruction[]
  readonly lost?: bigint
  /** What of that lies in Bob's account that was made; Bob has the rest but for the fee. */
  readonly rent?: bigint
  readonly fee?: number
  readonly err?: unknown
  readonly pre?: object[]
  readonly post?: object[]
  readonly change?: object
}

function shown({
  instructions,
  lost = 5_000n,
  rent = 0n,
  fee = 5_000,
  err = null,
  pre = [],
  post = [],
  change,
}: Shown): object {
  const balances = (alice: bigint, bob: bigint, bobs: bigint): number[] =>
    KEYS.map((_, place) => Number([alice, bob, 1n, bobs][place] ?? 1n))
  return {
    slot: 20,
    blockTime: 1_790_000_000,
    version: 0,
    transaction: { signatures: [HASH], message: { header, accountKeys: KEYS, instructions } },
    meta: {
      err,
      fee,
      preBalances: balances(1_000_000_000n, 1n, 1n),
      postBalances: balances(1_000_000_000n - lost, 1n + lost - rent - BigInt(fee), 1n + rent),
      preTokenBalances: pre,
      postTokenBalances: post,
      loadedAddresses: { writable: [], readonly: [] },
      innerInstructions: [],
      ...change,
    },
  }
}

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
})

async function chainWith(
  ...nodesLines: readonly Lines[]
): Promise<{ chain: Chain; nodes: readonly TestNode[] }> {
  const scripts = nodesLines.map((lines) =>
    script({ getSlot: 30, getBlock: { blockhash: BLOCK }, ...lines }),
  )
  const started = await startScripted(scripts)
  stops.push(started.stop)
  return started
}

async function outcomeOf(transaction: unknown, change: Lines = {}): Promise<Outcome | undefined> {
  const { chain } = await chainWith({ getTransaction: transaction, ...change })
  return (await chain.outcomes([HASH]))[0]
}

describe('what the chain shows of a transaction', () => {
  test('is its place, its cost and what it moved, in two round trips', async () => {
    const transaction = shown({
      instructions: [pay(700n), memo],
      lost: 5_702n,
      fee: 5_002,
    })
    const { chain, nodes } = await chainWith({ getTransaction: transaction })
    expect(await chain.outcomes([HASH])).toEqual([
      {
        state: 'mined',
        paysAccounts: true,
        height: 20n,
        blockHash: BLOCK,
        succeeded: true,
        feePaid: 5_002n,
        priorityFeePaid: 2n,
        transfers: [],
        senderChanges: [{ asset: 'native', delta: -700n }],
      },
    ])
    expect(nodes[0]?.requests).toEqual([['getSlot', 'getTransaction'], ['getBlock']])
  })

  test('is a token transfer between owners, with the rent of the account it made', async () => {
    const transaction = shown({
      instructions: [make, move(250n)],
      ...{ lost: 5_000n + 2_039_280n, rent: 2_039_280n },
      pre: holdings([ALICES, ALICE, 1_000n]),
      post: holdings([ALICES, ALICE, 750n], [BOBS, BOB, 250n]),
    })
    expect(await outcomeOf(transaction)).toMatchObject({
      feePaid: 2_044_280n,
      transfers: [{ asset: MINT, from: ALICE, to: BOB, amount: 250n, logIndex: 1 }],
    })
  })

  test('is what a router moved by its own hand, and what no other program did', async () => {
    const moved = (program: string) =>
      shown({
        instructions: [memo, call(program, [ALICE], 1)],
        pre: holdings([ALICES, ALICE, 1_000n], [BOBS, BOB, 0n]),
        post: holdings([ALICES, ALICE, 750n], [BOBS, BOB, 250n]),
        change: { innerInstructions: [{ index: 1, instructions: [move(250n)] }] },
      })
    expect(await outcomeOf(moved(JUPITER_PROGRAM))).toMatchObject({
      transfers: [{ asset: MINT, from: ALICE, to: BOB, amount: 250n }],
      senderChanges: [{ asset: MINT, delta: -250n }],
    })
    expect(await outcomeOf(moved(TOKEN_2022_PROGRAM))).toMatchObject({ transfers: [] })
  })

  test('is what the recipient got, where the mint keeps a part', async () => {
    const transaction = shown({
      instructions: [move(250n, ALICES, BOBS, TOKEN_2022_PROGRAM)],
      pre: holdings([ALICES, ALICE, 1_000n], [BOBS, BOB, 10n]),
      post: holdings([ALICES, ALICE, 750n], [BOBS, BOB, 257n]),
    })
    expect(await outcomeOf(transaction)).toMatchObject({ transfers: [{ amount: 247n }] })
  })

  test('is the whole amount where the same account also sent some on', async () => {
    const transaction = shown({
      instructions: [move(250n), move(100n, BOBS, CAROLS)],
      pre: holdings([ALICES, ALICE, 1_000n], [BOBS, BOB, 0n], [CAROLS, CAROL, 0n]),
      post: holdings([ALICES, ALICE, 750n], [BOBS, BOB, 150n], [CAROLS, CAROL, 100n]),
    })
    expect(await outcomeOf(transaction)).toMatchObject({
      transfers: [
        { from: ALICE, to: BOB, amount: 250n, logIndex: 0 },
        { from: BOB, to: CAROL, amount: 100n, logIndex: 1 },
      ],
    })
  })

  test('is two transfers to one account when they add up, and none when they do not', async () => {
    const twice = [move(250n), move(50n)]
    const pre = holdings([ALICES, ALICE, 1_000n], [BOBS, BOB, 0n])
    const whole = shown({
      instructions: twice,
      pre,
      post: holdings([ALICES, ALICE, 700n], [BOBS, BOB, 300n]),
    })
    expect(await outcomeOf(whole)).toMatchObject({
      transfers: [
        { amount: 250n, logIndex: 0 },
        { amount: 50n, logIndex: 1 },
      ],
    })
    const less = shown({
      instructions: [250n, 50n].map((each) => move(each, ALICES, BOBS, TOKEN_2022_PROGRAM)),
      pre,
      post: holdings([ALICES, ALICE, 700n], [BOBS, BOB, 299n]),
    })
    expect(await outcomeOf(less)).toMatchObject({ transfers: [] })
  })

  test('is a transfer to oneself', async () => {
    const same = holdings([ALICES, ALICE, 1_000n])
    expect(
      await outcomeOf(shown({ instructions: [move(250n, ALICES, ALICES)], pre: same, post: same })),
    ).toMatchObject({ transfers: [{ from: ALICE, to: ALICE, amount: 250n }] })
    const withRent = shown({
      instructions: [pay(700n, ALICE), make],
      ...{ lost: 2_044_280n, rent: 2_039_280n },
    })
    expect(await outcomeOf(withRent)).toMatchObject({ feePaid: 2_044_280n })
  })

  test('is no more than a failure with its fee when it failed, whatever it was to move', async () => {
    const transaction = shown({
      instructions: [pay(700n), move(250n)],
      err: { InstructionError: [1, { Custom: 1 }] },
      pre: holdings([ALICES, ALICE, 100n], [BOBS, BOB, 0n]),
      post: holdings([ALICES, ALICE, 100n], [BOBS, BOB, 0n]),
    })
    expect(await outcomeOf(transaction)).toMatchObject({
      succeeded: false,
      feePaid: 5_000n,
      transfers: [],
    })
  })

  test('is not what other programs say, nor what one called inside', async () => {
    const transaction = shown({
      instructions: [
        call(MEMO_PROGRAM, [ALICES, MINT, BOBS, ALICE], 12, u64(250n), 6),
        call(TOKEN_PROGRAM, [ALICES, MINT, BOBS, ALICE], 12, u64(250n)),
        call(TOKEN_PROGRAM, [ALICES], 12, u64(250n), 6),
        call(TOKEN_PROGRAM, [BOBS, ALICES, ALICE], 4, u64(250n)),
      ],
      pre: holdings([ALICES, ALICE, 1_000n], [BOBS, BOB, 0n]),
      post: holdings([ALICES, ALICE, 750n], [BOBS, BOB, 250n]),
      change: { innerInstructions: [{ index: 0, instructions: [move(250n)] }] },
    })
    expect(await outcomeOf(transaction)).toMatchObject({ succeeded: true, transfers: [] })
  })

  test("keeps lamports beyond a number's precision exact", async () => {
    const transaction = shown({ instructions: [memo] })
    const { chain } = await chainWith({
      getTransaction: {
        ...transaction,
        meta: {
          ...Object(transaction).meta,
          fee: Number.MAX_SAFE_INTEGER,
          preBalances: KEYS.map((_, index) => (index === 0 ? Number.MAX_SAFE_INTEGER : 1)),
          postBalances: KEYS.map((_, index) => (index === 0 ? 0 : 1)),
        },
      },
    })
    expect(await chain.outcomes([HASH])).toMatchObject([
      { feePaid: BigInt(Number.MAX_SAFE_INTEGER) },
    ])
  })

  test("counts accounts of lookup tables after the message's own", async () => {
    const transaction = shown({
      instructions: [{ ...move(250n), accounts: [KEYS.length, at(MINT), KEYS.length + 1, 0] }],
      change: {
        loadedAddresses: { writable: [key(20), key(21)], readonly: [] },
        preBalances: [1_000_000_000, ...KEYS.slice(1).map(() => 1), 1, 1],
        postBalances: [999_995_000, ...KEYS.slice(1).map(() => 1), 1, 1],
        preTokenBalances: [{ ...holdings([ALICES, ALICE, 300n])[0], accountIndex: KEYS.length }],
        postTokenBalances: [
          { ...holdings([ALICES, ALICE, 50n])[0], accountIndex: KEYS.length },
          { ...holdings([BOBS, BOB, 250n])[0], accountIndex: KEYS.length + 1 },
        ],
      },
    })
    expect(await outcomeOf(transaction)).toMatchObject({
      transfers: [{ from: ALICE, to: BOB, amount: 250n }],
    })
  })
})

describe('a transaction that a node does not show', () => {
  const head = {
    getLatestBlockhash: {
      context: { slot: 30 },
      value: { blockhash: BLOCK, lastValidBlockHeight: 160 },
    },
  }

  test('is absent', async () => {
    expect(await outcomeOf(null)).toEqual({ state: 'absent' })
  })

  test('is not called absent by a node that is behind a slot that was seen', async () => {
    const { chain } = await chainWith({ ...head, getTransaction: null, getSlot: 29 })
    expect(await chain.outcomes([HASH])).toEqual([{ state: 'absent' }])
    await chain.head()
    await expect(chain.outcomes([HASH])).rejects.toThrow('is at slot 29')
  })

  test('is mined when another node knows it', async () => {
    const { chain } = await chainWith(
      { ...head, getTransaction: null, getSlot: () => result(29) },
      { getTransaction: shown({ instructions: [memo] }) },
    )
    await chain.head()
    expect(await chain.outcomes([HASH])).toMatchObject([{ state: 'mined' }])
  })

  test('is shown by a node that is behind and has it all the same', async () => {
    const { chain } = await chainWith({
      ...head,
      getSlot: 29,
      getTransaction: shown({ instructions: [memo] }),
    })
    await chain.head()
    expect(await chain.outcomes([HASH])).toMatchObject([{ state: 'mined' }])
  })
})

describe('a look-up that failed is not an answer', () => {
  const transaction = shown({ instructions: [memo] })
  const meta = Object(transaction).meta
  test.each<[string, Lines]>([
    ['an error', { getTransaction: () => error(-32603, 'Internal error') }],
    ['no history', { getTransaction: () => error(-32011, 'Transaction history is not available') }],
    [
      'an unknown version',
      { getTransaction: () => error(-32015, 'Transaction version (1) is not supported') },
    ],
    ['no slot of its own', { getSlot: () => error(-32005, 'Node is unhealthy') }],
    ['no block', { getBlock: null }],
    ['a block that is not there yet', { getBlock: () => error(-32004, 'Block not available') }],
    ['no meta', { getTransaction: { ...transaction, meta: null } }],
    ['no err', { getTransaction: { ...transaction, meta: { ...meta, err: undefined } } }],
    ['no balances', { getTransaction: { ...transaction, meta: { ...meta, preBalances: [] } } }],
    ['a fee of minus one', { getTransaction: { ...transaction, meta: { ...meta, fee: -1 } } }],
    ['a fee in fractions', { getTransaction: { ...transaction, meta: { ...meta, fee: 0.5 } } }],
    [
      'another transaction',
      {
        getTransaction: {
          ...transaction,
          transaction: { ...Object(transaction).transaction, signatures: [HASH.replace('2', '3')] },
        },
      },
    ],
    ['text', { getTransaction: 'soon' }],
  ])('with %s', async (_, lines) => {
    const { chain } = await chainWith({ getTransaction: transaction, ...lines })
    await expect(chain.outcomes([HASH])).rejects.toThrow(NodeFailure)
  })

  test('but a transaction is seen whose block the node has forgotten', async () => {
    const getBlock = () => error(-32001, 'Block 20 cleaned up')
    const { chain } = await chainWith({ getTransaction: transaction, getBlock })
    expect(await chain.outcomes([HASH])).toMatchObject([{ state: 'mined', blockHash: null }])
  })

  test('and of nothing nobody is asked', async () => {
    const { chain, nodes } = await chainWith({})
    expect(await chain.outcomes([])).toEqual([])
    expect(nodes[0]?.requests).toEqual([])
  })
})
