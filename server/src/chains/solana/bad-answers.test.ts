import { describe, expect, test } from 'vitest'
import type { Block, Chain, TransactionHash } from '../chain.ts'
import { encodeBase58 } from './base58.ts'
import { MEMO_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from './programs.ts'
import { chainBehind, liesAbout, SPOILED, toldBy } from './test-bad-answers.ts'
import type { Lie } from './test-bad-answers.ts'
import { NATIVE, USDC } from './test-network.ts'
import {
  ALICE,
  ALICES,
  BOB,
  BOBS,
  HASH,
  MINT,
  nodeWith,
  order,
  wallet,
  WORLD,
} from './test-scene.ts'
import { result } from './test-script.ts'
import type { Lines } from './test-script.ts'

const SIGNATURE = encodeBase58(new Uint8Array(64).fill(9)) as TransactionHash
const [BLOCKHASH, PARENT] = [wallet(21), wallet(20)]
const KEYS = [ALICE, BOB, ALICES, BOBS, MINT, SYSTEM_PROGRAM, TOKEN_PROGRAM, MEMO_PROGRAM]
const at = (address: string) => KEYS.findIndex((key) => key === address)
const call = (program: string, accounts: readonly string[], data: Uint8Array) => ({
  programIdIndex: at(program),
  accounts: accounts.map(at),
  data: encodeBase58(data),
})
const held = (alices: bigint) =>
  (
    [
      [ALICES, ALICE, alices],
      [BOBS, BOB, 1_250n - alices],
    ] as const
  ).map(([account, owner, amount]) => ({
    accountIndex: at(account),
    ...{ mint: MINT, owner, programId: TOKEN_PROGRAM, uiTokenAmount: { amount: `${amount}` } },
  }))
const META = {
  ...{ err: null, fee: 5_000, loadedAddresses: { writable: [], readonly: [] } },
  preBalances: [1_000_000, 1, ...KEYS.slice(2).map(() => 1)],
  postBalances: [994_960, 41, ...KEYS.slice(2).map(() => 1)],
  ...{ preTokenBalances: held(1_000n), postTokenBalances: held(750n), innerInstructions: [] },
}
/** Alice gives Bob 250 units of USDC and 40 lamports. */
const WHOLE = {
  ...{ slot: 20, version: 0 },
  transaction: {
    signatures: [SIGNATURE],
    message: {
      header: {
        ...{ numRequiredSignatures: 1, numReadonlySignedAccounts: 0 },
        numReadonlyUnsignedAccounts: 4,
      },
      ...{ accountKeys: KEYS, recentBlockhash: HASH },
      instructions: [
        call(
          TOKEN_PROGRAM,
          [ALICES, MINT, BOBS, ALICE],
          Uint8Array.of(12, 250, 0, 0, 0, 0, 0, 0, 0, 6),
        ),
        call(SYSTEM_PROGRAM, [ALICE, BOB], Uint8Array.of(2, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0)),
        call(MEMO_PROGRAM, [], Buffer.from(`florin1:${'c5'.repeat(32)}`)),
      ],
    },
  },
  meta: META,
}
const BLOCK: Block = {
  ...{ height: 20n, hash: BLOCKHASH, parentHash: PARENT, timeMilliseconds: 1_790_000_000_000 },
  transactionHashes: [SIGNATURE],
}
/** Block 19 is there, too, so that there is something to follow from. */
const blocks: Readonly<Record<number, object>> = {
  19: {
    blockhash: PARENT,
    previousBlockhash: wallet(19),
    parentSlot: 18,
    blockTime: 1_790_000_000,
    signatures: [],
  },
  20: {
    blockhash: BLOCKHASH,
    previousBlockhash: PARENT,
    parentSlot: 19,
    blockTime: 1_790_000_000,
    signatures: [SIGNATURE],
  },
}
const ACCOUNTS_OF_20 = {
  ...{ blockhash: BLOCKHASH, parentSlot: 19 },
  transactions: [
    {
      transaction: {
        signatures: [SIGNATURE],
        accountKeys: KEYS.map((pubkey) => ({ pubkey, signer: pubkey === ALICE, writable: true })),
      },
      meta: META,
    },
  ],
}
const LINES: Lines = nodeWith(WORLD, {
  getSlot: 30,
  getFirstAvailableBlock: 0,
  getBlocksWithLimit: [19, 20],
  getBlock: ([slot, { transactionDetails }]: [number, { transactionDetails: string }]) =>
    result(transactionDetails === 'accounts' ? ACCOUNTS_OF_20 : (blocks[slot] ?? null)),
  getTransaction: WHOLE,
  getSlotLeader: ALICE,
})

/** Something that the service asks, and which of its answers are lied about. */
interface Question {
  readonly name: string
  readonly ask: (chain: Chain) => Promise<unknown>
  readonly methods: Readonly<Record<string, unknown>>
  /** What besides the truth does no harm. */
  readonly isSafe?: (told: unknown, lie: Lie, nodes: number) => boolean
}

const draft = (asset: typeof NATIVE) => (chain: Chain) => chain.draft(order(1_000n, asset))
const lined = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, LINES[name]]))
const accounts = (...addresses: readonly string[]) => ({
  context: { slot: 50 },
  value: addresses.map((each) => WORLD[each]),
})
/** A node may say that there is no account. */
const isAbsence = (_: unknown, { what }: Lie) =>
  /^value(\.\d)? is null$|\.executable is true$/.test(what)
/** With nobody else to ask what contradicts itself is set aside as untold. */
const isUntold = (told: unknown, lie: Lie, nodes: number) =>
  isOtherCall(told, lie) ||
  (nodes === 1 && lie.method === 'getTransaction' && JSON.stringify(plain(told)).includes(UNTOLD))
const UNTOLD = '"isUntold":true'
/** Instructions that nobody reads here are a reason to believe the balances. */
const isOtherCall = (told: unknown, { method, what }: Lie) =>
  told === undefined ||
  (method === 'getTransaction' && what.startsWith('transaction.message.instructions')) ||
  LEFT_OUT.test(what)
const LEFT_OUT =
  /^transactions\.0\.transaction\.accountKeys( is \[\]|\.\d left out|\.7\.pubkey is "\w*")$/
const DRAFT = lined(
  'getLatestBlockhash',
  'getMinimumBalanceForRentExemption',
  'simulateTransaction',
)

const QUESTIONS: readonly Question[] = [
  {
    name: 'a draft of lamports',
    ask: draft(NATIVE),
    methods: { ...DRAFT, getMultipleAccounts: accounts(ALICE, BOB) },
    isSafe: isAbsence,
  },
  {
    name: 'a draft of tokens',
    ask: draft(USDC),
    methods: {
      ...DRAFT,
      getMultipleAccounts: accounts(ALICE, BOB, ALICES, BOBS),
      getAccountInfo: { context: { slot: 50 }, value: WORLD[MINT] },
    },
    isSafe: isAbsence,
  },
  {
    name: 'balances',
    ask: (chain) => chain.balances(ALICE, [NATIVE, USDC]),
    methods: {
      getMultipleAccounts: accounts(ALICE, ALICES),
      getAccountInfo: { context: { slot: 50 }, value: WORLD[MINT] },
    },
    isSafe: isAbsence,
  },
  {
    name: 'a fee',
    ask: (chain) => chain.estimateFees(),
    methods: lined('getLatestBlockhash', 'getSlotLeader', 'simulateTransaction'),
  },
  {
    name: 'the head',
    ask: (chain) => chain.head(),
    methods: lined('getLatestBlockhash', 'getSlot'),
  },
  {
    name: 'blocks',
    ask: (chain) => chain.blocks(19n, 5),
    methods: { ...lined('getSlot', 'getBlocksWithLimit'), getBlock: blocks[19] },
    // The newest may be left out: it is read later. That the oldest is, the block above it shows, and all are read anew.
    isSafe: (told, { method, what }) =>
      method === 'getBlocksWithLimit' &&
      what === (told === undefined ? '0 left out' : '1 left out'),
  },
  {
    name: 'what became of a transaction',
    ask: (chain) => chain.outcomes([SIGNATURE]),
    methods: { ...lined('getTransaction', 'getSlot'), getBlock: blocks[20] },
    // What is absent, or not told, is pending. An instruction that is another one is found by what is left of the balances, where these fit
    // to known instructions alone.
    isSafe: (told, { method, what }) =>
      method === 'getTransaction' &&
      (what === 'all is null' ||
        JSON.stringify(plain(told)).startsWith('[{"state":"untold"') ||
        /^transaction\.message\.instructions\.(\d\.|1 left)/.test(what)),
  },
  {
    name: 'deposits',
    ask: (chain) => chain.arrivals([BLOCK], async () => new Set([BOB])),
    methods: { ...lined('getTransaction', 'getSlot'), getBlock: ACCOUNTS_OF_20 },
    isSafe: isOtherCall,
  },
  {
    name: 'what others sent',
    ask: async (chain) =>
      chain.selfCustody?.sightings([BLOCK], async () => ({
        senders: new Set([ALICE]),
        commitments: new Set(),
      })),
    methods: { ...lined('getTransaction', 'getSlot'), getBlock: ACCOUNTS_OF_20 },
    isSafe: isUntold,
  },
]

describe.each(QUESTIONS)('of $name', ({ ask, methods, isSafe = () => false }) => {
  test('a node that answers badly tells the truth or fails, and the next one is asked', async () => {
    const told = chainBehind(LINES)
    const truth = plain(await ask(told.chain))
    expect(truth).toBeDefined()
    expect([...told.asked]).toEqual(expect.arrayContaining(Object.keys(methods)))
    const wrong: string[] = []
    for (const [method, answer] of Object.entries(methods)) {
      for (const lie of liesAbout(method, answer)) {
        for (const nodes of [1, 2]) {
          const { chain, calls } = chainBehind(LINES, { lie }, { nodes })
          const said = await toldBy(() => ask(chain)).catch(
            (error: unknown) => `crash: ${String(error)}`,
          )
          expect(calls()).toBeLessThan(100)
          if (JSON.stringify(plain(said)) === JSON.stringify(truth)) continue
          if ((said === undefined && nodes === 1) || isSafe(said, lie, nodes)) continue
          wrong.push(
            `${nodes} ${method}: ${lie.what} -> ${JSON.stringify(plain(said))?.slice(0, 150)}`,
          )
        }
      }
    }
    expect(wrong).toEqual([])
  })

  test.each(Object.entries(SPOILED))(
    '%s is a failure, and the next node is asked',
    async (_, spoil) => {
      const truth = plain(await ask(chainBehind(LINES).chain))
      expect(await toldBy(() => ask(chainBehind(LINES, { spoil }).chain))).toBeUndefined()
      expect(plain(await ask(chainBehind(LINES, { spoil }, { nodes: 2 }).chain))).toEqual(truth)
    },
  )
})

function plain(value: unknown): unknown {
  if (value === undefined) return undefined
  return JSON.parse(
    JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `${each}n` : each)),
  )
}
