import { getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit'
import { describe, expect, test } from 'vitest'
import type { Address } from '../../chain.ts'
import type { TradeSide } from '../../venue.ts'
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from '../programs.ts'
import { limit, memo, messageOf, newKey, price, sealed, transfer } from '../test-payment.ts'
import type { MessageOptions, Step } from '../test-payment.ts'
import { associatedAccount } from '../token-account.ts'
import { carryMemo } from './carry-memo.ts'
import { checkRoute } from './jupiter-check.ts'
import type { ExpectedRoute } from './jupiter-check.ts'
import { AUTHORITY, routeSteps, swapStep } from './test-route.ts'
import type { TestRoute } from './test-route.ts'

const [taker, stranger] = [newKey(), newKey()]
const [T, S] = [taker.address, stranger.address]
const mint = { address: newKey().address, program: TOKEN_PROGRAM }
const blockhash = newKey().address
const COMMITMENT = 'ab'.repeat(32)
const facts = {
  tokenAccount: (owner: Address, of: { address: Address; program: Address }) =>
    associatedAccount(owner, of.program, of.address),
}
const route = (side: TradeSide, change: Partial<TestRoute> = {}): TestRoute => ({
  side,
  taker: T,
  mint: mint.address,
  amountIn: 1_000_000n,
  quotedOut: 500_000n,
  slippage: 100,
  ...change,
})
const expected = (side: TradeSide): ExpectedRoute => ({
  side,
  taker: T,
  mint,
  amountIn: 1_000_000n,
  minimumOut: 495_000n,
  commitment: COMMITMENT,
  feeMax: 5_200n,
})
const raw = (steps: readonly Step[], options: Partial<MessageOptions> = {}): Uint8Array =>
  sealed(messageOf(T, steps, { blockhash, legacy: true, ...options }), [])
const said = (steps: readonly Step[], side: TradeSide): string => {
  const bytes = carryMemo(raw(steps), `florin1:${COMMITMENT}`)
  if (bytes === undefined) return 'cannot carry a memo'
  const checked = checkRoute(facts, bytes, expected(side))
  return checked.ok ? 'taken' : checked.problem
}

describe('a router’s transaction', () => {
  test.each(['buy', 'sell'] as const)('of one swap is taken: %s', (side) => {
    const bytes = carryMemo(raw(routeSteps(route(side))), `florin1:${COMMITMENT}`)
    const checked = checkRoute(facts, bytes ?? new Uint8Array(), expected(side))
    expect(checked).toMatchObject({ ok: true, blockhash })
    if (side === 'sell') expect(checked).toMatchObject({ counterparty: AUTHORITY })
  })

  test('keeps all that it was when it carries a memo, as an independent reader has it', () => {
    const before = raw(routeSteps(route('buy')))
    const after = carryMemo(before, 'a memo') ?? new Uint8Array()
    const [old, now] = [before, after].map((bytes) => {
      const { messageBytes } = getTransactionDecoder().decode(bytes)
      const message = getCompiledTransactionMessageDecoder().decode(messageBytes)
      if (message.version === 1) throw new Error('another version')
      const { staticAccounts: keys, header, instructions, lifetimeToken } = message
      const writes = keys.map((_, index) =>
        index < header.numSignerAccounts
          ? index < header.numSignerAccounts - header.numReadonlySignerAccounts
          : index < keys.length - header.numReadonlyNonSignerAccounts,
      )
      return {
        version: message.version,
        lifetimeToken,
        writable: keys.filter((_, index) => writes[index]),
        signers: keys.slice(0, header.numSignerAccounts),
        steps: instructions.map(({ programAddressIndex, accountIndices = [], data = [] }) => ({
          program: keys[programAddressIndex],
          accounts: accountIndices.map((index) => keys[index]),
          data: Buffer.from(Uint8Array.from(data)).toString('hex'),
        })),
      }
    })
    expect(old?.version).toBe('legacy')
    expect(now).toEqual({
      ...old,
      version: 0,
      steps: [
        ...(old?.steps ?? []),
        {
          program: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
          accounts: [],
          data: Buffer.from('a memo').toString('hex'),
        },
      ],
    })
  })

  test('of another form, with other signers, cut off, or too long already carries none', () => {
    const steps = routeSteps(route('buy'))
    expect(carryMemo(raw(steps, { legacy: false }), 'x')).toBeUndefined()
    expect(carryMemo(raw(steps).subarray(0, -1), 'x')).toBeUndefined()
    expect(carryMemo(raw([...steps, memo('y')]), 'x')).toBeUndefined()
    expect(carryMemo(raw(steps), 'x'.repeat(1_000))).toBeUndefined()
    const two = raw([
      ...steps,
      { program: S, accounts: [{ address: S, signs: true }], data: new Uint8Array() },
    ])
    expect(carryMemo(two, 'x')).toBeUndefined()
  })
})

const token = (data: readonly number[], ...accounts: Step['accounts']): Step => ({
  program: TOKEN_PROGRAM,
  accounts,
  data: Uint8Array.from(data),
})
const own = { address: associatedAccount(T, TOKEN_PROGRAM, mint.address).address, writes: true }
const owner = { address: T, signs: true }
const lamports = (to: Address): Step => {
  const data = Buffer.alloc(12)
  data.writeUInt32LE(2)
  data.writeBigUInt64LE(1n, 4)
  return {
    program: SYSTEM_PROGRAM,
    accounts: [
      { ...owner, writes: true },
      { address: to, writes: true },
    ],
    data,
  }
}
const MORE: readonly (readonly [string, Step])[] = [
  ['lamports for a stranger', lamports(S)],
  ['tokens for a stranger', transfer({ from: T, to: S, mint: mint.address })],
  ['an allowance', token([4, 255, 255, 255, 255, 255, 255, 255, 255], own, { address: S }, owner)],
  ['the account given away', token([6, 2, 1], own, owner)],
  ['the token’s account closed', token([9], own, { address: T, writes: true }, owner)],
  [
    'a durable nonce',
    {
      program: SYSTEM_PROGRAM,
      accounts: [{ address: S, writes: true }, { address: S }, owner],
      data: Uint8Array.of(4, 0, 0, 0),
    },
  ],
  ['another program', { program: S, accounts: [owner], data: Uint8Array.of(1) }],
  ['a second swap', swapStep(route('buy'))],
  ['a second budget', limit(1)],
]

describe('anything else is not signed', () => {
  test.each(MORE)('with %s', (_, more) => {
    for (const side of ['buy', 'sell'] as const) {
      const steps = routeSteps(route(side))
      for (const at of [0, 3, steps.length]) {
        expect(said(steps.toSpliced(at, 0, more), side)).not.toBe('taken')
      }
    }
  })

  const changed = (side: TradeSide, change: (step: Step) => Step): readonly Step[] => {
    const swap = swapStep(route(side))
    return routeSteps(route(side)).map((step) =>
      step.program === swap.program ? change(step) : step,
    )
  }
  const account = (at: number, address: Address) => (step: Step) => ({
    ...step,
    accounts: step.accounts.with(at, { address, writes: true }),
  })
  const made = (side: TradeSide): Step => {
    const step = routeSteps(route(side))[2]
    if (step === undefined) throw new Error('a swap makes its account first')
    return step
  }
  function unwrappedFirst(): readonly Step[] {
    const steps = routeSteps(route('sell'))
    const [close] = steps.slice(-1)
    if (close === undefined) throw new Error('a swap ends with a close')
    return [...steps.slice(0, 3), close, made('sell'), ...steps.slice(3, -1)]
  }
  test.each([
    ['it takes more', 'buy', routeSteps(route('buy', { amountIn: 1_000_001n }))],
    ['it may give less', 'buy', routeSteps(route('buy', { slippage: 101 }))],
    ['it may give nothing', 'sell', routeSteps(route('sell', { slippage: 10_001 }))],
    [
      'its forecast is below the minimum',
      'sell',
      routeSteps(route('sell', { quotedOut: 494_999n, slippage: 0 })),
    ],
    ['it is of another token', 'buy', routeSteps(route('buy', { mint: newKey().address }))],
    ['it is the other side', 'sell', routeSteps(route('buy'))],
    ['it is for another wallet', 'buy', routeSteps(route('buy', { taker: S }))],
    ['it pays out to a stranger', 'buy', changed('buy', account(6, S))],
    ['it takes from another account', 'sell', changed('sell', account(3, S))],
    ['another decides', 'sell', changed('sell', account(2, S))],
    ['it hands on the wallet', 'buy', changed('buy', account(9, T))],
    ['it hands on an account', 'sell', changed('sell', account(9, own.address))],
    [
      'it keeps a fee',
      'buy',
      changed('buy', (step) => ({
        ...step,
        data: Buffer.from(step.data).fill(1, step.data.length - 1),
      })),
    ],
    [
      'it swaps in another way',
      'buy',
      changed('buy', (step) => ({ ...step, data: Buffer.from(step.data).fill(1, 0, 8) })),
    ],
    [
      'its data are cut',
      'buy',
      changed('buy', (step) => ({ ...step, data: step.data.slice(0, 12) })),
    ],
    [
      'it does not swap',
      'buy',
      routeSteps(route('buy')).filter(({ program }) => program !== swapStep(route('buy')).program),
    ],
    [
      'its wrapped lamports stay wrapped',
      'sell',
      routeSteps(route('sell')).filter(({ data }) => !(data.length === 1 && data[0] === 9)),
    ],
    ['it unwraps before it swaps', 'sell', unwrappedFirst()],
    ['it makes the account anew at its end', 'buy', [...routeSteps(route('buy')), made('buy')]],
    ['its price is higher', 'buy', routeSteps(route('buy')).with(1, price(10_000_000n))],
  ] as const)('when %s', (_, side, steps) => {
    expect(said(steps, side)).not.toBe('taken')
  })
})

/** The count and so many steps, each of a kind of market with what it says of itself. */
const planOf = (...steps: readonly (readonly number[])[]): Uint8Array =>
  Uint8Array.of(steps.length, 0, 0, 0, ...steps.flatMap((step) => [...step, 100, 0, 1]))
const withPlan = (plan: Uint8Array, change: Partial<TestRoute> = {}) =>
  said(routeSteps(route('sell', { plan, ...change })), 'sell')

describe('the way through the markets', () => {
  test.each([
    ['no field', [7]],
    ['a direction', [17, 1]],
    ['two token ids', [29, ...Array<number>(16).fill(3)]],
    ['a seed', [33, 1, 2, 3, 4]],
    ['a pool and two flags', [42, 1, 0, 1]],
    ['counts and indexes', [43, ...Array<number>(10).fill(1)]],
    ['a direction and no list', [47, 1, 0]],
    ['a direction, the last kind known', [58, 0]],
  ])('is read to its end: %s', (_, step) => {
    expect(withPlan(planOf(step))).toBe('taken')
    expect(withPlan(planOf(step, [38], step))).toBe('taken')
    // One byte more or less moves everything behind it.
    expect(withPlan(planOf([...step, 0]))).not.toBe('taken')
    expect(withPlan(planOf(step).subarray(0, -1))).not.toBe('taken')
  })

  test.each([
    ['of no step', planOf()],
    ['of a kind that is not known', planOf([59])],
    ['of the last kind that there can be', planOf([255])],
    ['with a list of more accounts', planOf([47, 1, 1, 0, 0, 0, 0])],
    ['with more steps than it has', Uint8Array.of(255, 255, 255, 255, 38, 100, 0, 1)],
    ['with a count in its high bytes', Uint8Array.of(1, 0, 0, 1, 38, 100, 0, 1)],
  ])('%s is not signed', (_, plan) => {
    expect(withPlan(plan)).not.toBe('taken')
  })

  test('cannot be followed by words that only we would read', () => {
    const honest = swapStep(route('sell'))
    const greedy = swapStep(route('sell', { amountIn: 2n ** 63n, quotedOut: 0n, slippage: 10_000 }))
    const data = Buffer.concat([greedy.data, Buffer.from(honest.data).subarray(-19)])
    const steps = routeSteps(route('sell')).map((step) =>
      step.program === greedy.program ? { ...greedy, data } : step,
    )
    expect(said(steps, 'sell')).not.toBe('taken')
  })
})
