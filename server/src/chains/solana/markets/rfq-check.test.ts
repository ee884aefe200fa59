import { getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit'
import { describe, expect, test } from 'vitest'
import type { Address } from '../../chain.ts'
import type { TradeSide } from '../../venue.ts'
import { signMessage } from '../ed25519.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../programs.ts'
import { limit, memo, messageOf, newKey, price, sealed, transfer } from '../test-payment.ts'
import type { Key, MessageOptions, Step } from '../test-payment.ts'
import { associatedAccount } from '../token-account.ts'
import { checkSwap } from './rfq-check.ts'
import type { ExpectedSwap } from './rfq-check.ts'

const [taker, maker, stranger] = [newKey(), newKey(), newKey()]
const mint = { address: newKey().address, program: TOKEN_PROGRAM }
const blockhash = newKey().address
const COMMITMENT = 'ab'.repeat(32)
const [IN, OUT] = [1_000_000n, 777_777n]
const FEE_MAX = 10_000n + 150n
const LIMIT = 150_000
const DECIMALS = 6
/** Of an honest buy: the third makes the account. */
const ACCOUNT_STEP = 2

const accountOf = (owner: Address, { address, program } = mint): Address =>
  associatedAccount(owner, program, address).address
const facts = {
  tokenAccount: (owner: Address, of: { address: Address; program: Address }) =>
    associatedAccount(owner, of.program, of.address),
}
const expected = (side: TradeSide, change: Partial<ExpectedSwap> = {}): ExpectedSwap => ({
  side,
  taker: taker.address,
  maker: maker.address,
  mint,
  amountIn: IN,
  minimumOut: OUT,
  commitment: COMMITMENT,
  feeMax: FEE_MAX,
  ...change,
})

const lamports = (from: Address, to: Address, amount: bigint): Step => {
  const data = Buffer.alloc(12)
  data.writeUInt32LE(2)
  data.writeBigUInt64LE(amount, 4)
  const accounts = [
    { address: from, signs: true, writes: true },
    { address: to, writes: true },
  ]
  return { program: SYSTEM_PROGRAM, accounts, data }
}
const tokens = (from: Address, to: Address, amount: bigint, of = mint): Step =>
  transfer({ from, to, amount, decimals: DECIMALS, mint: of.address, program: of.program })
const makeAccount = (payer: Address, owner: Address, of = mint): Step => ({
  program: ASSOCIATED_TOKEN_PROGRAM,
  accounts: [
    { address: payer, signs: true, writes: true },
    { address: accountOf(owner, of), writes: true },
    { address: owner },
    { address: of.address },
    { address: SYSTEM_PROGRAM },
    { address: of.program },
  ],
  data: Uint8Array.of(1),
})

const [T, M, S] = [taker.address, maker.address, stranger.address]
const note = memo(`florin1:${COMMITMENT}`)
const budget = [limit(LIMIT), price(1_000n)]
const moves: Record<TradeSide, readonly Step[]> = {
  buy: [makeAccount(T, T), lamports(T, M, IN), tokens(M, T, OUT)],
  sell: [tokens(T, M, IN), lamports(M, T, OUT)],
}
const honest = (side: TradeSide): Step[] => [...budget, ...moves[side], note]
const bytesOf = (
  steps: readonly Step[],
  options: Partial<MessageOptions> & {
    readonly keys?: readonly Key[]
    readonly payer?: Address
  } = {},
): Uint8Array =>
  sealed(messageOf(options.payer ?? T, steps, { blockhash, ...options }), options.keys ?? [maker])
const said = (bytes: Uint8Array, wanted: ExpectedSwap): string => {
  const checked = checkSwap(facts, bytes, wanted)
  return checked.ok ? 'taken' : checked.problem
}

describe('what was agreed on', () => {
  test.each(['buy', 'sell'] as const)('is taken, with what it gives: %s', (side) => {
    const checked = checkSwap(facts, bytesOf(honest(side)), expected(side))
    expect(checked).toMatchObject({ ok: true, amountOut: OUT, blockhash })
    const more = side === 'buy' ? tokens(M, T, OUT + 5n) : lamports(M, T, OUT + 5n)
    const steps = honest(side).with(side === 'buy' ? 4 : 3, more)
    expect(checkSwap(facts, bytesOf(steps), expected(side))).toMatchObject({
      ok: true,
      amountOut: OUT + 5n,
    })
  })

  test('is taken without an account to make, and with what the maker wrote for the taker put out', () => {
    const steps = [...budget, ...moves.buy.slice(1), note]
    const raw = bytesOf(steps, { keys: [maker, taker] })
    const checked = checkSwap(facts, raw, expected('buy'))
    expect(checked.ok && [...checked.bytes.subarray(1, 65)]).toEqual(new Array(64).fill(0))
  })
})

/** Another instruction of the taker's, each of which would cost it something. */
const token = (data: readonly number[], ...accounts: Step['accounts']): Step => ({
  program: TOKEN_PROGRAM,
  accounts,
  data: Uint8Array.from(data),
})
const owner = { address: T, signs: true }
const own = { address: accountOf(T), writes: true }
const nonce = { address: stranger.address, writes: true }
const other = { address: newKey().address, program: TOKEN_PROGRAM }
const MORE: readonly (readonly [string, Step])[] = [
  ['more lamports of the taker', lamports(T, M, 1n)],
  ['lamports of the taker to a stranger', lamports(T, S, 1n)],
  ['tokens of the taker', tokens(T, S, 1n)],
  ['another token of the taker', tokens(T, M, 1n, other)],
  [
    'an allowance on the taker’s account',
    token([4, 255, 255, 255, 255, 255, 255, 255, 255], own, { address: S }, owner),
  ],
  ['the taker’s account given away', token([6, 2, 1], own, owner)],
  ['the taker’s account closed', token([9], own, { address: S, writes: true }, owner)],
  [
    'the taker’s wallet assigned to a program',
    {
      program: SYSTEM_PROGRAM,
      accounts: [{ ...owner, writes: true }],
      data: Buffer.concat([Uint8Array.of(1, 0, 0, 0), Buffer.alloc(32, 7)]),
    },
  ],
  ['an account for a stranger', makeAccount(T, S)],
  ['an account for another token', makeAccount(T, T, other)],
  [
    'a durable nonce',
    {
      program: SYSTEM_PROGRAM,
      accounts: [nonce, { address: S }, { address: M, signs: true }],
      data: Uint8Array.of(4, 0, 0, 0),
    },
  ],
  ['a second memo', memo('x')],
  ['a second commitment', note],
  ['a program of nobody', { program: S, accounts: [], data: new Uint8Array() }],
  ['a second limit', limit(1)],
  ['lamports of the maker to a stranger', lamports(M, S, 1n)],
]

describe('anything else is not signed', () => {
  test.each(MORE)('with %s', (_, more) => {
    for (const side of ['buy', 'sell'] as const) {
      for (const at of [0, 2, honest(side).length]) {
        expect(said(bytesOf(honest(side).toSpliced(at, 0, more)), expected(side))).not.toBe('taken')
      }
    }
  })

  const buys = (at: number, step: Step): Uint8Array => bytesOf(honest('buy').with(at, step))
  const sells = (at: number, step: Step): Uint8Array => bytesOf(honest('sell').with(at, step))
  const twin = { ...mint, program: TOKEN_2022_PROGRAM }
  test.each([
    ['the taker pays more', 'buy', buys(3, lamports(T, M, IN + 1n))],
    ['the taker pays less than agreed', 'buy', buys(3, lamports(T, M, IN - 1n))],
    ['the taker pays somebody else', 'buy', buys(3, lamports(T, S, IN))],
    ['it gives less than the minimum', 'buy', buys(4, tokens(M, T, OUT - 1n))],
    ['it gives another token', 'buy', buys(4, tokens(M, T, OUT, other))],
    ['it gives to a stranger', 'buy', buys(4, tokens(M, S, OUT))],
    [
      'it gives to the wallet itself, which is no token account',
      'buy',
      buys(
        4,
        transfer({
          from: M,
          to: T,
          amount: OUT,
          decimals: DECIMALS,
          mint: mint.address,
          destination: T,
        }),
      ),
    ],
    ['the taker gives to itself', 'buy', buys(4, tokens(T, T, OUT))],
    ['its tokens come from a stranger, who signs', 'buy', buys(4, tokens(S, T, OUT))],
    ['another price', 'buy', buys(1, price(10_000_000n))],
    ['another limit', 'buy', buys(0, limit(1_400_000))],
    ['no limit', 'buy', bytesOf(honest('buy').slice(1))],
    ['another commitment', 'buy', buys(5, memo(`florin1:${'cd'.repeat(32)}`))],
    ['no commitment', 'buy', bytesOf(honest('buy').slice(0, -1))],
    ['only the taker gives', 'buy', bytesOf(honest('buy').toSpliced(4, 1))],
    ['only the maker gives', 'buy', bytesOf(honest('buy').toSpliced(3, 1))],
    ['the other side', 'sell', bytesOf(honest('buy'))],
    ['it takes more tokens', 'sell', sells(2, tokens(T, M, IN + 1n))],
    ['it pays less', 'sell', sells(3, lamports(M, T, OUT - 1n))],
    ['it pays a stranger', 'sell', sells(3, lamports(M, S, OUT))],
    [
      'it makes an account at the taker’s cost',
      'sell',
      bytesOf(honest('sell').toSpliced(2, 0, makeAccount(T, M))),
    ],
    ['not the taker pays the fee', 'buy', bytesOf(honest('buy'), { payer: M })],
    ['the maker has not signed', 'buy', bytesOf(honest('buy'), { keys: [] })],
    ['only the taker has signed', 'buy', bytesOf(honest('buy'), { keys: [taker] })],
    ['somebody else has signed', 'buy', bytesOf(honest('buy'), { keys: [stranger] })],
    [
      'its accounts are hidden',
      'buy',
      bytesOf(honest('buy'), { tables: [{ table: S, entries: [1] }] }),
    ],
    ['it is of the old form', 'buy', bytesOf(honest('buy'), { legacy: true })],
    ['a byte follows', 'buy', Buffer.concat([bytesOf(honest('buy')), Uint8Array.of(0)])],
    ['a byte is missing', 'buy', bytesOf(honest('buy')).subarray(0, -1)],
    ['nothing', 'buy', new Uint8Array()],
    ['it is far too long', 'buy', new Uint8Array(5_000)],
    [
      'the same mint of the other program',
      'buy',
      bytesOf([
        ...budget,
        makeAccount(T, T, twin),
        lamports(T, M, IN),
        tokens(M, T, OUT, twin),
        note,
      ]),
    ],
  ] as const)('when %s', (_, side, bytes) => {
    expect(said(bytes, expected(side))).not.toBe('taken')
  })

  test('when the maker is the taker, or another than was asked', () => {
    const self = bytesOf([...budget, lamports(T, T, IN), tokens(T, T, OUT), note], {
      keys: [taker],
    })
    expect(said(self, expected('buy', { maker: T }))).not.toBe('taken')
    expect(said(bytesOf(honest('buy')), expected('buy', { maker: S }))).not.toBe('taken')
  })
})

/** A message as an independent reader has it: what its signature would allow. */
function read(bytes: Uint8Array) {
  const { messageBytes } = getTransactionDecoder().decode(bytes)
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes)
  if (message.version === 1 || !('instructions' in message)) throw new Error('another version')
  const { staticAccounts: keys, header, instructions } = message
  return {
    signers: keys.slice(0, header.numSignerAccounts),
    steps: instructions.map(({ programAddressIndex, accountIndices = [], data = [] }) => ({
      program: keys[programAddressIndex],
      accounts: accountIndices.map((index) => keys[index]),
      data: Buffer.from(Uint8Array.from(data)),
    })),
  }
}

test('whichever byte a maker changes, what is signed pays no more, gives no less and does nothing else', () => {
  const original = bytesOf(honest('buy'))
  const agreed = read(original)
  const messageAt = 1 + 2 * 64
  let taken = 0
  for (let at = messageAt; at < original.length; at += 1) {
    for (const change of [1, 2, 64, 255]) {
      const bytes = Uint8Array.from(original)
      bytes[at] = (bytes[at] ?? 0) ^ change
      bytes.set(signMessage(bytes.subarray(messageAt), maker.secret), 1 + 64)
      const checked = checkSwap(facts, bytes, expected('buy'))
      if (!checked.ok) continue
      taken += 1
      const shown = read(checked.bytes)
      expect(shown.signers).toEqual(agreed.signers)
      const [limited, priced, made, paid, given, noted] = shown.steps
      for (const [index, { program, accounts }] of agreed.steps.entries()) {
        const step = shown.steps[index]
        expect(step?.program).toBe(program)
        // The program that makes accounts refuses any but the right System and token program.
        const counted = index === ACCOUNT_STEP ? 4 : accounts.length
        expect(step?.accounts.length).toBe(accounts.length)
        expect(step?.accounts.slice(0, counted)).toEqual(accounts.slice(0, counted))
      }
      const units = BigInt(limited?.data.readUInt32LE(1) ?? 0)
      const priority = (units * (priced?.data.readBigUInt64LE(1) ?? 0n) + 999_999n) / 1_000_000n
      expect(10_000n + priority).toBeLessThanOrEqual(FEE_MAX)
      expect([0, 1]).toContain(made?.data[0])
      expect(paid?.data).toEqual(agreed.steps[3]?.data)
      expect(given?.data.readBigUInt64LE(1)).toBeGreaterThanOrEqual(OUT)
      expect(noted?.data).toEqual(agreed.steps[5]?.data)
    }
  }
  // Blockhash, more tokens, a lower price: there are such changes, and they do no harm.
  expect(taken).toBeGreaterThan(100)
})
