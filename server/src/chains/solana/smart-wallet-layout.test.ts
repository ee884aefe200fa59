import { describe, expect, test } from 'vitest'
import type { Fields } from '@florin/wire/x402/fields.ts'
import type { Address } from '../chain.ts'
import type { ExactDemand, ExactRead } from '../exact.ts'
import { knownAddress } from './account.ts'
import { readPayload } from './exact-read.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from './programs.ts'
import { KNOWN_WALLET_PROGRAMS, NO_WALLET_PROGRAMS } from './smart-wallet-programs.ts'
import {
  assertion,
  limit,
  memo,
  messageOf,
  MINT,
  newKey,
  PRICE,
  price,
  sealed,
  transfer,
} from './test-payment.ts'
import type { Key, MessageOptions, Meta, Step } from './test-payment.ts'
import { paidBy, smartDemand, testSmartWallet } from './test-smart-wallet.ts'
import { associatedAccount } from './token-account.ts'

const FAMILY = 'invalid_exact_svm_smart_wallet_'
const [feePayer, otherSettler, stranger] = [newKey(), newKey(), newKey()]
const wallet = testSmartWallet()
const settlers = new Set([feePayer.address, otherSettler.address])
const PROGRAMS: ReadonlySet<string> = new Set([ASSOCIATED_TOKEN_PROGRAM, ...KNOWN_WALLET_PROGRAMS])
const paying = paidBy(wallet)
const BUDGET = [limit(60_000), price(1n)]
const tokenAccount = (owner: Address, mint: { address: Address; program: Address }) =>
  associatedAccount(owner, mint.program, mint.address)

function payloadOf(
  steps: readonly Step[],
  options: Partial<MessageOptions> = {},
  keys: readonly Key[] = [wallet.owner],
): Fields {
  const message = messageOf(feePayer.address, steps, { blockhash: newKey().address, ...options })
  return { transaction: Buffer.from(sealed(message, keys)).toString('base64') }
}

const demand = (change: Partial<ExactDemand> = {}) =>
  smartDemand(wallet, feePayer.address, { settlers, ...change })

function read(payload: Fields, wanted = demand(), programs = PROGRAMS): ExactRead {
  return readPayload({ tokenAccount }, payload, wanted, programs)
}

function said(payload: Fields, wanted = demand(), programs = PROGRAMS): string {
  const outcome = read(payload, wanted, programs)
  return outcome.ok ? 'taken' : outcome.reason
}

/** What a program is called with, of which nothing is known. */
const call = (program: Address, ...accounts: readonly Meta[]): Step => ({
  program,
  accounts,
  data: Uint8Array.of(2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0),
})
const budget = (...data: readonly number[]): Step => ({
  program: COMPUTE_BUDGET_PROGRAM,
  accounts: [],
  data: Uint8Array.from(data),
})

describe('a payment by a smart wallet', () => {
  test.each<[string, readonly Step[]]>([
    ['alone', [paying]],
    ['with a budget', [...BUDGET, paying]],
    ['with its budget behind it', [paying, ...BUDGET]],
    ['with assertions and a memo', [...BUDGET, assertion(), paying, assertion(), memo('x')]],
    ['of the highest limit and price', [limit(400_000), price(50_000n), paying]],
  ])('is read %s', (_, steps) => {
    const outcome = read(payloadOf(steps))
    if (!outcome.ok) throw new Error(outcome.reason)
    expect(said(payloadOf(steps, { legacy: true }))).toBe('taken')
    expect(outcome.authorization).toMatchObject({
      payer: wallet.address,
      payTo: wallet.owner.address,
      amount: PRICE,
      stored: { source: wallet.source, destination: wallet.destination },
    })
  })

  test('costs what its signatures and its budget say, 30,000 lamports at most', () => {
    const feeOf = (steps: readonly Step[]) => {
      const outcome = read(payloadOf(steps))
      return outcome.ok ? outcome.authorization.stored['fee'] : outcome.reason
    }
    expect(feeOf([paying])).toBe('10000')
    expect(feeOf([limit(400_000), price(50_000n), paying])).toBe('30000')
    // Without a limit the runtime gives 200,000 units to each.
    expect(feeOf([price(50_000n), paying])).toBe('20000')
  })

  test('is refused where nothing allows its program, with the reason that plain wallets get', () => {
    const none: ReadonlySet<string> = new Set()
    const payload = payloadOf([...BUDGET, paying])
    expect(said(payload, demand(), none)).toBe('invalid_exact_svm_payload_no_transfer_instruction')
    expect(said(payload, demand(), new Set(KNOWN_WALLET_PROGRAMS))).toBe(
      `${FAMILY}program_not_allowed`,
    )
  })

  test('has no program beside the listed ones, not even one that moves lamports or an old nonce', () => {
    const systemCall = call(SYSTEM_PROGRAM, { address: wallet.owner.address, signs: true })
    const others = [
      systemCall,
      call(stranger.address),
      call(TOKEN_PROGRAM),
      transfer({ from: wallet.owner.address, to: stranger.address }),
    ]
    for (const other of others) {
      for (const steps of [
        [other, ...BUDGET, paying],
        [...BUDGET, paying, other],
      ]) {
        expect(said(payloadOf(steps))).toBe(`${FAMILY}program_not_allowed`)
      }
    }
    const nonce = call(SYSTEM_PROGRAM, { address: stranger.address, writes: true })
    for (const program of NO_WALLET_PROGRAMS) {
      if (program === COMPUTE_BUDGET_PROGRAM) continue
      const steps = [{ ...nonce, program: knownAddress(program) }, ...BUDGET, paying]
      const programs = new Set([...PROGRAMS, program])
      expect(said(payloadOf(steps), demand(), programs)).toBe(`${FAMILY}program_not_allowed`)
    }
  })

  test('names no fee payer of ours anywhere, as whatever', () => {
    for (const { address } of [feePayer, otherSettler]) {
      for (const meta of [{ address }, { address, writes: true }]) {
        const named = [
          [paidBy(wallet, meta)],
          [...BUDGET, assertion(meta), paying],
          [...BUDGET, paying, { ...memo('x'), accounts: [meta] }],
        ]
        for (const steps of named) {
          expect(said(payloadOf(steps))).toBe(`${FAMILY}fee_payer_not_isolated`)
        }
      }
      const programs = new Set([...PROGRAMS, address])
      const called = payloadOf([...BUDGET, paying, call(address)])
      expect(said(called, demand(), programs)).toBe(`${FAMILY}fee_payer_not_isolated`)
    }
  })

  test.each<[string, readonly Step[], string]>([
    ['a unit above the limit', [limit(400_001), paying], 'compute_units_too_high'],
    ['no limit for three', [paying, assertion(), assertion()], 'compute_units_too_high'],
    ['a price above the limit', [price(50_001n), paying], 'priority_fee_too_high'],
    ['two limits', [limit(1), limit(400_000), paying], 'malformed_compute_budget'],
    ['two prices', [price(1n), paying, price(1n)], 'malformed_compute_budget'],
    ['a larger heap', [budget(1, 0, 0, 4, 0), paying], 'unsupported_compute_budget_instruction'],
    ['a limit cut off', [budget(2, 0, 0), paying], 'unsupported_compute_budget_instruction'],
    ['an empty budget', [budget(), paying], 'unsupported_compute_budget_instruction'],
  ])('is refused with %s', (_, steps, reason) => {
    expect(said(payloadOf(steps))).toBe(`${FAMILY}${reason}`)
  })

  test('hides no account in a lookup table', () => {
    const tables = [{ table: stranger.address, entries: [0, 1] }]
    expect(said(payloadOf([...BUDGET, paying], { tables }))).toBe(
      `${FAMILY}alt_resolution_not_available`,
    )
  })

  test('is signed by its client and nobody else beside the fee payer', () => {
    const also = { address: stranger.address, signs: true }
    expect(said(payloadOf([paidBy(wallet, also)], {}, [wallet.owner, stranger]))).toBe(
      'invalid_exact_svm_payload_excessive_signers',
    )
    const invalid = 'invalid_exact_svm_payload_signature_invalid'
    expect(said(payloadOf([paying], {}, []))).toBe(invalid)
    const unsigned = {
      ...paying,
      accounts: paying.accounts.map(({ address, writes = false }) => ({ address, writes })),
    }
    expect(said(payloadOf([unsigned]))).toBe(invalid)
  })

  test('has exactly the memo that the seller asked for', () => {
    const wanted = demand({ extra: { feePayer: feePayer.address, memo: 'order 7' } })
    expect(said(payloadOf([paying, memo('order 7')]), wanted)).toBe('taken')
    expect(said(payloadOf([paying]), wanted)).toBe('invalid_exact_svm_payload_memo_count')
    const twice = payloadOf([limit(9_000), paying, memo('order 7'), memo('order 7')])
    expect(said(twice, wanted)).toBe('invalid_exact_svm_payload_memo_count')
    expect(said(payloadOf([paying, memo('order 8')]), wanted)).toBe(
      'invalid_exact_svm_payload_memo_mismatch',
    )
  })

  test('names mint and receiver, and one account only that could pay', () => {
    const mismatch = `${FAMILY}transfer_mismatch`
    expect(said(payloadOf([paying]), demand({ payTo: stranger.address }))).toBe(mismatch)
    const other = { ...demand().asset, asset: newKey().address }
    expect(said(payloadOf([paying]), demand({ asset: other }))).toBe(mismatch)
    const second = [stranger.address, tokenAccount(stranger.address, TOKEN).address]
    const more = second.map((address) => ({ address, writes: true }))
    expect(said(payloadOf([paidBy(wallet, ...more)]))).toBe(mismatch)
  })
})

const TOKEN = { address: MINT, program: TOKEN_PROGRAM }

describe('what is wrong with a plain payment', () => {
  const [plain, to] = [wallet.owner.address, stranger.address]
  const moving = transfer({ from: plain, to })
  const wanted = demand({ payTo: to })

  test.each<[string, readonly Step[], string]>([
    ['its amount', [transfer({ from: plain, to, amount: PRICE - 1n })], 'payload_amount_mismatch'],
    [
      'its receiver',
      [transfer({ from: plain, to: newKey().address })],
      'payload_recipient_mismatch',
    ],
    ['its mint', [transfer({ from: plain, to, mint: stranger.address })], 'payload_mint_mismatch'],
    [
      'who stands in it',
      [moving, assertion({ address: feePayer.address })],
      'payload_transaction_fee_payer_transferring_funds',
    ],
  ])('is never a smart wallet’s: %s', (_, steps, reason) => {
    const all = [...BUDGET, ...steps, paying]
    expect(said(payloadOf(all), wanted)).toBe(`invalid_exact_svm_${reason}`)
  })

  test.each<[string, readonly Step[], string]>([
    ['limit', [limit(200_001), price(1n)], 'limit'],
    ['price', [limit(200_000), price(5_000_001n)], 'price'],
  ])('is never a smart wallet’s: a high %s', (_, steps, which) => {
    expect(said(payloadOf([...steps, moving]), wanted)).toBe(
      `invalid_exact_svm_payload_transaction_instructions_compute_${which}_instruction_too_high`,
    )
  })

  test('is no more than another order of instructions: read as a smart wallet’s', () => {
    expect(said(payloadOf([...BUDGET, moving]), wanted)).toBe('taken')
    for (const steps of [[moving], [price(1n), limit(9), moving], [...BUDGET, moving, paying]]) {
      expect(said(payloadOf(steps), wanted)).toBe(`${FAMILY}program_not_allowed`)
    }
  })
})
