import { expect, test } from 'vitest'
import type { Outcome, TransactionHash } from '../chain.ts'
import { encodeBase58 } from './base58.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  JUPITER_PROGRAM,
  MEMO_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from './programs.ts'
import { chainBehind } from './test-bad-answers.ts'
import { ALICE, ALICES, BOB, BOBS, MINT, nodeWith, wallet, WORLD } from './test-scene.ts'

const SIGNATURE = encodeBase58(new Uint8Array(64).fill(9)) as TransactionHash
const KEYS: readonly string[] = [
  ...[ALICE, BOB, ALICES, BOBS, MINT, SYSTEM_PROGRAM, TOKEN_PROGRAM],
  ...[TOKEN_2022_PROGRAM, MEMO_PROGRAM, ASSOCIATED_TOKEN_PROGRAM, JUPITER_PROGRAM],
]
const FEE = 5_000
const RENT = 2_000
const call = (program: string, accounts: readonly string[], ...data: readonly number[]) => ({
  programIdIndex: KEYS.indexOf(program),
  accounts: accounts.map((each) => KEYS.indexOf(each)),
  data: encodeBase58(Uint8Array.from(data)),
})
const PAY = call(SYSTEM_PROGRAM, [ALICE, BOB], 2, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0)
const moveBy = (program: string) =>
  call(program, [ALICES, MINT, BOBS, ALICE], 12, 250, 0, 0, 0, 0, 0, 0, 0, 6)
const MAKE = call(ASSOCIATED_TOKEN_PROGRAM, [ALICE, BOBS, BOB, MINT], 1)
const ROUTE = call(JUPITER_PROGRAM, [ALICE], 1)
const MEMO = call(MEMO_PROGRAM, [], 1)

interface Told {
  readonly fee: number
  readonly err: unknown
  readonly preBalances: readonly number[]
  readonly postBalances: readonly number[]
  readonly preTokenBalances: readonly object[]
  readonly postTokenBalances: readonly object[]
}

/** What Alice's account and Bob's hold together: 1,250. */
const held = (alices: number) =>
  (
    [
      [ALICES, ALICE, alices],
      [BOBS, BOB, 1_250 - alices],
    ] as const
  ).map(([account, owner, amount]) => ({
    accountIndex: KEYS.indexOf(account),
    ...{ mint: MINT, owner, programId: TOKEN_PROGRAM, uiTokenAmount: { amount: `${amount}` } },
  }))

/** A transaction of which the accounts have so much more lamports than before, and Alice so many tokens. */
const around = (deltas: readonly number[], alices = 1_000, err: unknown = null): Told => ({
  ...{ fee: FEE, err },
  preBalances: KEYS.map(() => 1_000_000),
  postBalances: KEYS.map((_, at) => 1_000_000 + (deltas[at] ?? 0)),
  ...{ preTokenBalances: held(1_000), postTokenBalances: held(alices) },
})
const whole = (instructions: readonly object[], told: Told) => ({
  ...{ slot: 20, version: 0 },
  transaction: {
    signatures: [SIGNATURE],
    message: {
      header: { numRequiredSignatures: 1 },
      ...{ accountKeys: KEYS, instructions },
    },
  },
  meta: { ...told, loadedAddresses: { writable: [], readonly: [] }, innerInstructions: [] },
})

/** What becomes known where the first node tells the one and the others, if any, tell the other. */
async function outcomeOf(first: unknown, next: unknown, nodes: number): Promise<Outcome> {
  const lines = nodeWith(WORLD, {
    ...{ getSlot: 30, getBlock: { blockhash: wallet(21) }, getTransaction: next },
  })
  const lie = { method: 'getTransaction', what: 'it', reply: { result: first } }
  const [outcome] = await chainBehind(lines, { lie }, { nodes }).chain.outcomes([SIGNATURE])
  if (outcome === undefined) throw new Error('one was asked for')
  return outcome
}

/** Each number of lamports that is told, one more and one less. */
function garbled(told: Told): readonly Told[] {
  return [1, -1].flatMap((by) => [
    { ...told, fee: told.fee + by },
    ...(['preBalances', 'postBalances'] as const).flatMap((which) =>
      told[which].map((_, at) => ({
        ...told,
        [which]: told[which].map((lamports, place) => (place === at ? lamports + by : lamports)),
      })),
    ),
  ])
}

test.each<[string, readonly object[], Told]>([
  ['a payment of lamports', [PAY, MEMO], around([-FEE - 40, 40])],
  ['a payment of tokens', [moveBy(TOKEN_PROGRAM), MEMO], around([-FEE], 750)],
  [
    'one that makes an account',
    [MAKE, moveBy(TOKEN_PROGRAM), MEMO],
    around([-FEE - RENT, 0, 0, RENT], 750),
  ],
  ['one of a later token program', [moveBy(TOKEN_2022_PROGRAM), MEMO], around([-FEE], 750)],
  ['a trade', [ROUTE, MEMO], around([-FEE + 70, 0, 0, -70], 1_100)],
  ['one that failed', [PAY, MEMO], around([-FEE], 1_000, { InstructionError: [0, 'Custom'] })],
])('%s is what fee and balances agree on, and else the next node is asked', async (...told) => {
  const [, instructions, meta] = told
  const truth = whole(instructions, meta)
  const known = await outcomeOf(truth, truth, 1)
  expect(known).toMatchObject({ state: 'mined', succeeded: meta.err === null })
  const wrong: unknown[] = []
  for (const lie of garbled(meta)) {
    const first = whole(instructions, lie)
    const alone = await outcomeOf(first, truth, 1)
    if (alone.state !== 'untold') wrong.push(['alone', lie, alone])
    const other = await outcomeOf(first, truth, 2)
    if (!Object.is(JSON.stringify(other, shown), JSON.stringify(known, shown))) {
      wrong.push(['with another', lie, other])
    }
  }
  expect(wrong).toEqual([])
})

test('a payment that was made is not called a failed one, nor a failed one made', async () => {
  const made = [
    whole([PAY, MEMO], around([-FEE - 40, 40])),
    whole([moveBy(TOKEN_PROGRAM), MEMO], around([-FEE], 750)),
  ]
  for (const truth of made) {
    const lie = { ...truth, meta: { ...truth.meta, err: 'AccountInUse' } }
    expect(await outcomeOf(lie, truth, 1)).toMatchObject({ state: 'untold', height: 20n })
    expect(await outcomeOf(lie, truth, 2)).toMatchObject({ state: 'mined', succeeded: true })
  }
  const failed = whole([PAY, MEMO], around([-FEE], 1_000, 'AccountInUse'))
  const lie = { ...failed, meta: { ...failed.meta, err: null } }
  expect(await outcomeOf(lie, failed, 1)).toMatchObject({ state: 'untold', height: 20n })
  expect(await outcomeOf(lie, failed, 2)).toMatchObject({ state: 'mined', succeeded: false })
})

test('what stands in a block and did not run, since nobody could pay its fee, failed and cost nothing', async () => {
  const truth = whole([PAY, MEMO], { ...around([], 1_000, 'InsufficientFundsForFee'), fee: 0 })
  const failed = { state: 'mined', succeeded: false, feePaid: 0n, transfers: [] }
  expect(await outcomeOf(truth, truth, 1)).toMatchObject(failed)
  // Whatever took a fee or moved something ran.
  const lie = { ...truth, meta: { ...truth.meta, fee: FEE } }
  expect(await outcomeOf(lie, truth, 1)).toMatchObject({ state: 'untold' })
})

function shown(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value
}
