import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Address } from '../chain.ts'
import { knownAddress } from './account.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  MEMO_PROGRAM as MEMO,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from './programs.ts'
import {
  assertion,
  LIGHTHOUSE,
  limit,
  memo,
  MINT,
  newKey,
  paymentScene,
  PRICE,
  price,
  transfer,
} from './test-payment.ts'
import type { Meta, Step } from './test-payment.ts'
import { USDC } from './test-network.ts'
import { associatedAccount } from './token-account.ts'

const REASON = 'invalid_exact_svm_payload_'
const LAYOUT = `${REASON}transaction_instructions_`
const scene = paymentScene()
const { payer, seller, feePayer, otherSettler, demand, paying, said } = scene
const plain = (): Step[] => [limit(20_000), price(1n), paying()]
const stranger = newKey().address
const guard = () => assertion({ address: payer.address }, { address: stranger })

/** As wallets sign them: what the stock client makes, Phantom's one to three assertions, Solflare's two. */
const WALLETS: readonly (readonly [string, readonly Step[]])[] = [
  ['bare', plain()],
  ['stock client', [...plain(), memo('a1b2')]],
  ['Phantom, one assertion', [...plain(), guard()]],
  ['Phantom, one assertion and a memo', [...plain(), guard(), memo('a1b2')]],
  ['Solflare, two assertions', [...plain(), guard(), guard()]],
  ['Solflare, a memo between', [...plain(), guard(), memo('a1b2'), guard()]],
  ['Phantom, three assertions', [...plain(), guard(), guard(), guard()]],
  ['Phantom, three assertions and a memo', [...plain(), memo('a'), guard(), guard(), guard()]],
  ['a memo that the payer signs', [...plain(), signedMemo()]],
]

function signedMemo(): Step {
  return { ...memo('x'), accounts: [{ address: payer.address, signs: true }] }
}

describe('what wallets make', () => {
  test.each(WALLETS)('is taken: %s', (_, steps) => {
    expect(said(steps)).toBe('taken')
    expect(said(steps, demand(), { legacy: true })).toBe('taken')
  })
})

describe('our fee payer', () => {
  /** Every account slot of every instruction, as what is there, as reader, writer and signer; and every program. */
  function* placements(steps: readonly Step[], ours: Address): Generator<readonly Step[]> {
    const roles: readonly Omit<Meta, 'address'>[] = [{}, { writes: true }, { signs: true }]
    for (const [index, step] of steps.entries()) {
      const put = (change: Partial<Step>): readonly Step[] =>
        steps.with(index, { ...step, ...change })
      yield put({ program: ours })
      for (const role of roles) {
        const meta = { ...role, address: ours }
        for (let slot = 0; slot <= step.accounts.length; slot += 1) {
          yield put({ accounts: step.accounts.toSpliced(slot, 1, meta) })
          yield put({ accounts: step.accounts.toSpliced(slot, 0, meta) })
        }
      }
    }
  }

  test('stands in no instruction of a payment, wherever and as whatever: thousands of places', () => {
    let tried = 0
    for (const [, steps] of WALLETS) {
      for (const ours of [feePayer.address, otherSettler.address]) {
        for (const legacy of [false, true]) {
          for (const placed of placements(steps, ours)) {
            tried += 1
            if (said(placed, demand(), { legacy }) === 'taken') {
              expect(placed).toBe('refused')
            }
          }
        }
      }
    }
    expect(tried).toBeGreaterThan(2_000)
  })

  test('is told apart from a bad layout: as authority, as delegate, in an assertion', () => {
    const reason = `${REASON}transaction_fee_payer_transferring_funds`
    const ours = transfer({ from: feePayer.address, to: seller.address })
    expect(said([limit(1), price(1n), ours])).toBe(reason)
    expect(said([...plain(), assertion({ address: feePayer.address })])).toBe(reason)
    expect(said([...plain(), assertion({ address: otherSettler.address })])).toBe(reason)
  })
})

describe('accounts behind a lookup table', () => {
  test('are nobody we know, so it is refused, used or not', () => {
    for (const entries of [[0], [0, 1, 2], []]) {
      const tables = [{ table: stranger, entries }]
      expect(said(plain(), demand(), { tables })).toBe(`${REASON}transaction`)
    }
  })
})

describe('what a payment may cost us', () => {
  const withBudget = (units: number, micro: bigint) => said([limit(units), price(micro), paying()])

  test.each([
    // 200,000 units at 250,000 microlamports are 50,000 lamports to the unit.
    [200_000, 250_000n, 'taken'],
    [200_001, 1n, `${LAYOUT}compute_limit_instruction_too_high`],
    [4_294_967_295, 0n, `${LAYOUT}compute_limit_instruction_too_high`],
    [200_000, 250_001n, `${LAYOUT}compute_price_instruction_too_high`],
    [10_000, 5_000_000n, 'taken'],
    [9_999, 5_000_001n, `${LAYOUT}compute_price_instruction_too_high`],
    [1, 5_000_001n, `${LAYOUT}compute_price_instruction_too_high`],
    [10_001, 5_000_000n, `${LAYOUT}compute_price_instruction_too_high`],
    [0, (1n << 64n) - 1n, `${LAYOUT}compute_price_instruction_too_high`],
    [199_999, 250_000n, 'taken'],
  ])('%i units at %i: %s', (units, micro, expected) => {
    expect(withBudget(units, micro)).toBe(expected)
  })

  const [units, micro, pay] = plain() as [Step, Step, Step]
  const longer = (step: Step): Step => ({ ...step, data: Buffer.concat([step.data, Buffer.of(0)]) })
  const heap: Step = { ...units, data: Uint8Array.of(1, 0, 0, 1, 0) }
  test.each<[string, readonly Step[], string]>([
    ['both missing', [pay], 'length'],
    ['no limit', [micro, pay, memo('x')], 'compute_limit_instruction'],
    ['no price', [units, pay, memo('x')], 'compute_price_instruction'],
    ['the wrong way round', [micro, units, pay], 'compute_limit_instruction'],
    ['the limit twice', [units, units, pay], 'compute_price_instruction'],
    ['a heap frame for a limit', [heap, micro, pay], 'compute_limit_instruction'],
    ['a limit with a byte too many', [longer(units), micro, pay], 'compute_limit_instruction'],
    ['a price with a byte too many', [units, longer(micro), pay], 'compute_price_instruction'],
  ])('%s', (_, steps, expected) => {
    expect(said(steps)).toBe(`${LAYOUT}${expected}`)
  })

  test.each([units, micro, heap])(
    'a second instruction of the budget behind the transfer',
    (step) => {
      expect(said([...plain(), step])).toBe(`${REASON}unknown_fourth_instruction`)
    },
  )

  test('the fee is what the chain takes: two signatures and the priority, rounded up', () => {
    const feeOf = (steps: readonly Step[]): unknown => scene.storedOf(steps)['fee']
    expect(feeOf([limit(20_000), price(1n), paying()])).toBe('10001')
    expect(feeOf([limit(20_000), price(51n), paying()])).toBe('10002')
    expect(feeOf([limit(0), price(0n), paying()])).toBe('10000')
  })
})

describe('something beside the payment', () => {
  const ata = (owner: Address): Address => associatedAccount(owner, TOKEN_PROGRAM, MINT).address
  const signs = { address: payer.address, signs: true, writes: true }
  const token = (kind: number, ...accounts: readonly Meta[]): Step => ({
    program: TOKEN_PROGRAM,
    accounts,
    data: Buffer.concat([Uint8Array.of(kind), Buffer.alloc(8, 1)]),
  })
  const create = (kind: number): Step => ({
    program: ASSOCIATED_TOKEN_PROGRAM,
    accounts: [
      signs,
      { address: ata(seller.address), writes: true },
      { address: seller.address },
      { address: MINT },
      { address: SYSTEM_PROGRAM },
      { address: TOKEN_PROGRAM },
    ],
    data: kind < 0 ? new Uint8Array() : Uint8Array.of(kind),
  })
  const advanceNonce: Step = {
    program: SYSTEM_PROGRAM,
    accounts: [
      { address: stranger, writes: true },
      { address: knownAddress('SysvarRecentB1ockHashes11111111111111111111') },
      signs,
    ],
    data: Uint8Array.of(4, 0, 0, 0),
  }
  const lamports: Step = {
    program: SYSTEM_PROGRAM,
    accounts: [signs, { address: stranger, writes: true }],
    data: Uint8Array.of(2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0),
  }
  const own = { address: ata(payer.address), writes: true }
  const EXTRAS: readonly (readonly [string, Step])[] = [
    ['the creation of an account', create(-1)],
    ['the creation of an account, unless it is there', create(1)],
    ['a second transfer', paying()],
    ['a transfer elsewhere', paying({ to: stranger })],
    ['the old transfer', token(3, own, { address: ata(stranger), writes: true }, signs)],
    ['an approval', token(4, own, { address: stranger }, signs)],
    ['a new owner', token(6, own, signs)],
    ['the end of the account', token(9, own, { address: stranger, writes: true }, signs)],
    ['lamports that move', lamports],
    ['a nonce that is used up', advanceNonce],
    ['any other program', { program: stranger, accounts: [own], data: Uint8Array.of(1) }],
    ['the budget’s program', { ...limit(1), data: Uint8Array.of(4, 0, 0, 1, 0) }],
  ]

  test.each(EXTRAS)('is refused at every place: %s', (_, extra) => {
    for (const [, steps] of WALLETS) {
      if (steps.length === 7) continue
      for (let at = 0; at <= steps.length; at += 1) {
        expect(said(steps.toSpliced(at, 0, extra))).not.toBe('taken')
      }
    }
    const names = ['fourth', 'fifth', 'sixth', 'seventh']
    names.forEach((name, index) => {
      const guards = Array.from({ length: index }, () => guard())
      expect(said([...plain(), ...guards, extra])).toBe(`${REASON}unknown_${name}_instruction`)
    })
  })

  test.each(EXTRAS)('is refused for the transfer: %s', (_, extra) => {
    if (extra.program === TOKEN_PROGRAM && extra.data[0] === 12) return
    expect(said([limit(1), price(1n), extra])).toBe(`${REASON}no_transfer_instruction`)
  })

  test('a durable nonce has no place: it would have to stand first', () => {
    expect(said([advanceNonce, ...plain()])).toBe(`${LAYOUT}compute_limit_instruction`)
  })

  test('a further signer is refused, even one who signed', () => {
    const second = { address: newKey().address, signs: true }
    expect(said([...plain(), assertion(second)])).toBe(`${REASON}excessive_signers`)
    const several = { ...paying(), accounts: [...paying().accounts, second] }
    expect(said([limit(1), price(1n), several])).not.toBe('taken')
  })

  test('an eighth instruction is refused', () => {
    const guards = Array.from({ length: 5 }, () => guard())
    expect(said([...plain(), ...guards])).toBe(`${LAYOUT}length`)
  })

  test('nothing that random changes make of a layout is taken unless it is a wallet’s again', () => {
    const pool = [...EXTRAS.map(([, step]) => step), ...plain(), guard(), memo('m'), signedMemo()]
    const change = fc.record({
      at: fc.nat({ max: 7 }),
      instead: fc.integer({ min: 0, max: 1 }),
      step: fc.constantFrom(...pool),
    })
    const layouts = fc.constantFrom(...WALLETS.map(([, steps]) => steps))
    const changes = fc.array(change, { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(layouts, changes, (layout, several) => {
        const steps = several.reduce<readonly Step[]>(
          (before, { at, instead, step }) => before.toSpliced(at, instead, step),
          layout,
        )
        if (said(steps) !== 'taken') return
        expect(steps.length).toBeLessThanOrEqual(7)
        expect(steps.slice(0, 3).map(spelled)).toEqual(plain().map(spelled))
        for (const { program } of steps.slice(3)) expect([LIGHTHOUSE, MEMO]).toContain(program)
      }),
      { numRuns: 3_000 },
    )
  })
})

function spelled({ program, accounts, data }: Step): string {
  return JSON.stringify([program, accounts, Buffer.from(data).toString('hex')])
}

describe('the transfer', () => {
  const one = (step: Step, wanted = demand()) => said([limit(1), price(1n), step], wanted)

  test.each<[string, Step, string]>([
    ['a unit less', paying({ amount: PRICE - 1n }), 'amount_mismatch'],
    ['a unit more', paying({ amount: PRICE + 1n }), 'amount_mismatch'],
    ['nothing', paying({ amount: 0n }), 'amount_mismatch'],
    ['all there is', paying({ amount: (1n << 64n) - 1n }), 'amount_mismatch'],
    ['other decimals', paying({ decimals: 9 }), 'amount_mismatch'],
    ['another mint', paying({ mint: stranger }), 'mint_mismatch'],
    ['another recipient', paying({ to: stranger }), 'recipient_mismatch'],
    [
      'the seller itself for its account',
      paying({ destination: seller.address }),
      'recipient_mismatch',
    ],
    ['an account of the other program', foreignAccount(), 'recipient_mismatch'],
    [
      'without the check of its mint',
      { ...paying(), data: Buffer.alloc(9, 3) },
      'no_transfer_instruction',
    ],
    [
      'data too short',
      { ...paying(), data: paying().data.subarray(0, 9) },
      'no_transfer_instruction',
    ],
    [
      'data too long',
      { ...paying(), data: Buffer.concat([paying().data, Buffer.of(0)]) },
      'no_transfer_instruction',
    ],
    [
      'an account too many',
      { ...paying(), accounts: [...paying().accounts, { address: stranger }] },
      'no_transfer_instruction',
    ],
    [
      'an account too few',
      { ...paying(), accounts: paying().accounts.slice(0, 3) },
      'no_transfer_instruction',
    ],
    ['another program', { ...paying(), program: stranger }, 'no_transfer_instruction'],
  ])('of %s', (_, step, expected) => {
    expect(one(step)).toBe(`${REASON}${expected}`)
  })

  function foreignAccount(): Step {
    const other = associatedAccount(seller.address, TOKEN_2022_PROGRAM, MINT).address
    return paying({ destination: other })
  }

  test('of an account into itself moves nothing', () => {
    const step = paying()
    const into = step.accounts[2]
    if (into === undefined) throw new Error('no destination')
    const accounts = step.accounts.with(0, into)
    expect(one({ ...step, accounts })).toBe(`${REASON}recipient_mismatch`)
  })

  test('of an authority that signs nothing', () => {
    const accounts = paying().accounts.with(3, { address: stranger })
    expect(one({ ...paying(), accounts })).toBe(`${REASON}signature_invalid`)
  })

  test('through Token-2022 is read by the same rules', () => {
    expect(one(paying({ program: TOKEN_2022_PROGRAM }))).toBe('taken')
    expect(one(paying({ program: TOKEN_2022_PROGRAM, to: stranger }))).toBe(
      `${REASON}recipient_mismatch`,
    )
  })

  test('is for the decimals that the asset is configured with', () => {
    const asset = { ...USDC, decimals: 9 }
    expect(one(paying(), demand({ asset }))).toBe(`${REASON}amount_mismatch`)
    expect(one(paying({ decimals: 9 }), demand({ asset }))).toBe('taken')
  })
})

describe('the memo that a seller asks for', () => {
  const extra = (wanted: unknown) => demand({ extra: { feePayer: feePayer.address, memo: wanted } })
  const [count, mismatch] = [`${REASON}memo_count`, `${REASON}memo_mismatch`]
  const longest = 'é'.repeat(128)

  test.each<[string, readonly Step[], unknown, string]>([
    ['is there', [memo('order 7')], 'order 7', 'taken'],
    ['is there beside assertions', [guard(), memo('order 7'), guard()], 'order 7', 'taken'],
    ['is not there', [], 'order 7', count],
    ['is there twice', [memo('order 7'), memo('order 7')], 'order 7', count],
    ['is there beside another', [memo('order 7'), memo('x')], 'order 7', count],
    ['is another', [memo('order 8')], 'order 7', mismatch],
    ['is longer', [memo('order 7 ')], 'order 7', mismatch],
    ['is in other case', [memo('Order 7')], 'order 7', mismatch],
    ['is composed differently', [memo('e\u0301')], 'é', mismatch],
    ['begins with a mark of order', [memo('\ufefforder 7')], 'order 7', mismatch],
    [
      'is no UTF-8 where the replacement sign is asked for',
      [memo(Uint8Array.of(0xff))],
      '\ufffd',
      mismatch,
    ],
    ['has 256 bytes', [memo(longest)], longest, 'taken'],
    ['has 257 bytes', [memo(`${longest}x`)], `${longest}x`, mismatch],
    ['is no text', [memo('7')], 7, mismatch],
    ['is empty, so none is asked for', [memo('a1b2')], '', 'taken'],
    ['is null, so none is asked for', [], null, 'taken'],
  ])('%s', (_, steps, wanted, expected) => {
    expect(said([...plain(), ...steps], extra(wanted))).toBe(expected)
  })
})
