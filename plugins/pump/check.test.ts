import { expect, test } from 'vitest'
import type { Address } from '../../server/src/chains/chain.ts'
import { compileMessage } from '../../server/src/chains/solana/message.ts'
import type { Instruction } from '../../server/src/chains/solana/message.ts'
import { MODULE_TOOLS } from '../../server/src/chains/solana/markets/open-module.ts'
import { checkTrade } from '../../server/src/chains/solana/markets/program-check.ts'
import { MEMO_PROGRAM, SYSTEM_PROGRAM } from '../../server/src/chains/solana/programs.ts'
import { ALICE, BOB, HASH } from '../../server/src/chains/solana/test-scene.ts'
import { NO_SIGNATURE, withSignature } from '../../server/src/chains/solana/sign.ts'
import { associatedAccount } from '../../server/src/chains/solana/token-account.ts'
import {
  budgetInstructions,
  createAccountInstruction,
} from '../../server/src/chains/solana/transfer.ts'
import { COIN, SETTINGS, curveOf, orderOf, pump, vectors } from './test-vectors.ts'
import { venue } from './venue.ts'

const [BUY] = vectors.cases
if (BUY === undefined) throw new Error('no vectors')
const order = orderOf(BUY)
const { mint, amountIn } = order
const minimumOut = 7n
const commitment = 'c5'.repeat(32)
const facts = {
  tokenAccount: (owner: Address, of: typeof mint) =>
    associatedAccount(owner, of.program, of.address),
}
const module = { name: 'pump', program: MODULE_TOOLS.knownAddress(venue.program), venue: pump }

const trade = (change: Partial<Parameters<typeof pump.trade>[0]> = {}) =>
  pump.trade({ ...order, wallet: ALICE, minimumOut, ...change }, [curveOf(0), ...SETTINGS])
const [LIMIT, PRICE] = budgetInstructions({ units: 400_000n, pricePerUnit: 1_000n })
const memo = (text = `florin1:${commitment}`): Instruction => ({
  program: MEMO_PROGRAM,
  accounts: [],
  data: Buffer.from(text),
})
const own = (owner: Address) =>
  createAccountInstruction(ALICE, owner, facts.tokenAccount(owner, mint).address, {
    mint: mint.address,
    program: mint.program,
  })
const paying = (to: Address): Instruction => ({
  program: SYSTEM_PROGRAM,
  accounts: [ALICE, to].map((address) => ({ address, isWritable: true })),
  data: Buffer.of(2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0),
})
const sealed = (steps: readonly (Instruction | undefined)[], payer = ALICE) =>
  withSignature(
    NO_SIGNATURE,
    compileMessage(
      payer,
      steps.flatMap((each) => each ?? []),
      HASH,
    ),
  )
const check = (bytes: Uint8Array, side: 'buy' | 'sell' = 'buy') =>
  checkTrade(facts, module, bytes, {
    ...{ side, wallet: ALICE, mint, amountIn, minimumOut, commitment },
    feeMax: 5_400n,
  })

test('a transaction that is nothing but the trade is signed', () => {
  const read = { side: 'buy', wallet: ALICE, mint: COIN, amountIn, minimumOut }
  expect(check(sealed([LIMIT, PRICE, trade(), memo()]))).toMatchObject({ ok: true, trade: read })
  expect(check(sealed([LIMIT, PRICE, own(ALICE), trade(), memo()]))).toMatchObject({ ok: true })
})

const whole = sealed([LIMIT, PRICE, trade(), memo()])
const swapped = (at: number): Instruction => {
  const { accounts, ...rest } = trade()
  return { ...rest, accounts: accounts.with(at, { address: BOB, isWritable: true }) }
}
const longer = (): Instruction => {
  const { data, ...rest } = trade()
  return { ...rest, data: Buffer.concat([data, Buffer.of(1)]) }
}

test.each<[string, Uint8Array, string]>([
  ['bytes behind its end', Buffer.concat([whole, Buffer.of(0)]), 'it is no transaction'],
  ['a byte too few', whole.subarray(0, -1), 'it is no transaction'],
  ['another fee payer', sealed([LIMIT, PRICE, trade(), memo()], BOB), 'others sign it'],
  [
    'a higher price',
    sealed([
      LIMIT,
      trade(),
      memo(),
      ...budgetInstructions({ units: 1n, pricePerUnit: 2_000n }).slice(1),
    ]),
    'its fee is higher than asked',
  ],
  ['no commitment', sealed([LIMIT, PRICE, trade()]), 'it does not carry the commitment'],
  [
    'another commitment',
    sealed([LIMIT, PRICE, trade(), memo(`florin1:${'c6'.repeat(32)}`)]),
    'it does not carry the commitment',
  ],
  ['another memo', sealed([LIMIT, PRICE, trade(), memo(), memo('hello')]), 'carries another memo'],
  ['a payment beside it', sealed([trade(), memo(), paying(BOB)]), 'it calls another program'],
  ["somebody else's account", sealed([own(BOB), trade(), memo()]), 'it makes other accounts'],
  ['no trade', sealed([LIMIT, PRICE, memo()]), 'it is not one trade'],
  ['more data', sealed([LIMIT, PRICE, longer(), memo()]), 'it trades in a way not known here'],
  [
    'another account of tokens',
    sealed([LIMIT, PRICE, swapped(14), memo()]),
    'it trades in a way not known here',
  ],
  [
    'another curve',
    sealed([LIMIT, PRICE, swapped(10), memo()]),
    'it trades in a way not known here',
  ],
  ["somebody else's trade", sealed([trade({ wallet: BOB }), memo()]), 'it trades for others'],
  ['a sale', sealed([LIMIT, PRICE, trade({ side: 'sell' }), memo()]), 'it trades something else'],
  [
    'more lamports',
    sealed([LIMIT, PRICE, trade({ amountIn: amountIn + 1n }), memo()]),
    'it takes another amount',
  ],
  [
    'a lower minimum',
    sealed([LIMIT, PRICE, trade({ minimumOut: 6n }), memo()]),
    'it may give less than the minimum',
  ],
])('one with %s is not', (_, bytes, problem) => {
  expect(check(bytes)).toEqual({ ok: false, problem })
})

test('one that trades twice is not', () => {
  const twice = sealed([trade(), trade(), memo()])
  expect(check(twice).ok).toBe(false)
})

test('a sale makes no account', () => {
  const sale = trade({ side: 'sell' })
  expect(check(sealed([LIMIT, PRICE, sale, memo()]), 'sell')).toMatchObject({ ok: true })
  const made = sealed([LIMIT, PRICE, own(ALICE), sale, memo()])
  expect(check(made, 'sell')).toEqual({ ok: false, problem: 'it makes other accounts' })
})
