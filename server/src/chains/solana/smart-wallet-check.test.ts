import { baseUnits } from '@florin/wire/amount.ts'
import { describe, expect, onTestFinished, test } from 'vitest'
import { NodeFailure } from '../chain.ts'
import type { Address } from '../chain.ts'
import type { ExactAuthorization, ExactCheck } from '../exact.ts'
import { encodeBase58 } from './base58.ts'
import { readPayload } from './exact-read.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  MEMO_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from './programs.ts'
import { smartWalletSimulationRead } from './smart-wallet-check.ts'
import { messageOf, MINT, newKey, PRICE, sealed } from './test-payment.ts'
import { paidBy, smartDemand, testSmartWallet } from './test-smart-wallet.ts'
import { nodeWith, tokenAccount as holding, WORLD } from './test-scene.ts'
import { script, startScripted } from './test-script.ts'
import { associatedAccount } from './token-account.ts'

const FAMILY = 'invalid_exact_svm_smart_wallet_'
const settler = newKey().address
const stranger = newKey().address
const wallet = testSmartWallet()
const tokenAccount = (owner: Address, mint: { address: Address; program: Address }) =>
  associatedAccount(owner, mint.program, mint.address)

function authorization(): ExactAuthorization {
  const message = messageOf(settler, [paidBy(wallet)], { blockhash: newKey().address })
  const transaction = Buffer.from(sealed(message, [wallet.owner])).toString('base64')
  const demand = smartDemand(wallet, settler, { amount: baseUnits(PRICE) })
  const programs = new Set([ASSOCIATED_TOKEN_PROGRAM])
  const read = readPayload({ tokenAccount }, { transaction }, demand, programs)
  if (!read.ok) throw new Error(read.reason)
  return read.authorization
}

const PAID = {
  source: wallet.source,
  mint: MINT as string,
  destination: wallet.destination as string,
  authority: wallet.address as string,
}
const amountOf = (amount: bigint) => ({ amount: `${amount}`, decimals: 6, uiAmount: null })
/** As a node takes an instruction of a token program apart. */
const parsed = (type: string, info: object, programId: string = TOKEN_PROGRAM): object => ({
  program: 'spl-token',
  programId,
  parsed: { type, info },
  stackHeight: 2,
})
const paid = (change: object = {}, programId?: string): object =>
  parsed('transferChecked', { ...PAID, tokenAmount: amountOf(PRICE), ...change }, programId)
/** As a node tells an instruction that it does not take apart. */
const plain = (programId: string, accounts: readonly string[], data: Uint8Array): object => ({
  programId,
  accounts,
  data: encodeBase58(data),
  stackHeight: 2,
})
function checkedData(amount: bigint): Buffer {
  const data = Buffer.alloc(10)
  data.writeUInt8(12)
  data.writeBigUInt64LE(amount, 1)
  data.writeUInt8(6, 9)
  return data
}
const close = parsed('closeAccount', { account: wallet.source, destination: stranger })

function verdict(inner: unknown, err: unknown = null): ExactCheck {
  const value = { err, logs: [], innerInstructions: inner, unitsConsumed: 9 }
  const standing = { seenSlot: () => 9n, blockTimeMilliseconds: 400 }
  return smartWalletSimulationRead(authorization(), standing).parse({ context: { slot: 9 }, value })
}
const within = (...instructions: readonly object[]) => [{ index: 0, instructions }]
const said = (...instructions: readonly object[]): string => {
  const check = verdict(within(...instructions))
  return check.ok ? 'paid' : check.reason.replace(FAMILY, '')
}

describe('what a simulation shows of a smart wallet', () => {
  test('is a payment where one call pays what was asked for, taken apart or not', () => {
    expect(said(paid(), close)).toBe('paid')
    expect(said(paid({}, TOKEN_2022_PROGRAM))).toBe('paid')
    const accounts = [PAID.source, PAID.mint, PAID.destination, PAID.authority]
    expect(said(plain(TOKEN_PROGRAM, accounts, checkedData(PRICE)))).toBe('paid')
    const note = plain(MEMO_PROGRAM, [], Buffer.from('hello'))
    const fee = paid({ destination: stranger, tokenAmount: amountOf(1n) })
    expect(said(note, paid(), fee, close)).toBe('paid')
  })

  test.each<[string, object]>([
    ['another receiver', { destination: stranger }],
    ['another mint', { mint: stranger }],
    ['another source', { source: stranger }],
    ['another authority', { authority: stranger }],
    ['a unit too little', { tokenAmount: amountOf(PRICE - 1n) }],
    ['a unit too much', { tokenAmount: amountOf(PRICE + 1n) }],
    ['several authorities', { authority: undefined, multisigAuthority: PAID.authority }],
  ])('is none with %s', (_, change) => {
    expect(said(paid(change))).toBe('transfer_mismatch')
  })

  test('is none by a transfer that names no mint, or of another program', () => {
    const { source, destination, authority } = PAID
    expect(said(parsed('transfer', { source, destination, authority, amount: `${PRICE}` }))).toBe(
      'transfer_mismatch',
    )
    expect(said(parsed('transferCheckedWithFee', { ...PAID, tokenAmount: amountOf(PRICE) }))).toBe(
      'transfer_mismatch',
    )
    expect(said(paid({}, stranger))).toBe('no_transfer_in_simulation')
    const accounts = [PAID.source, PAID.mint, PAID.destination, PAID.authority]
    expect(said(plain(stranger, accounts, checkedData(PRICE)))).toBe('no_transfer_in_simulation')
    expect(said(close)).toBe('no_transfer_in_simulation')
    expect(said()).toBe('no_transfer_in_simulation')
  })

  test('is none where more than one transfer comes to the receiver, whatever it moves', () => {
    const multiple = 'multiple_matching_transfers'
    expect(said(paid(), paid())).toBe(multiple)
    expect(said(paid(), paid({ tokenAmount: amountOf(1n) }))).toBe(multiple)
    const { destination } = PAID
    const untold = { source: stranger, destination, authority: stranger, amount: '1' }
    expect(said(paid(), parsed('transfer', untold))).toBe(multiple)
    const apart = [within(paid()), within(paid())].flat()
    expect(verdict(apart)).toMatchObject({ ok: false, reason: `${FAMILY}${multiple}` })
  })

  test('is none where a call names our fee payer, as whatever', () => {
    const isolated = 'fee_payer_not_isolated'
    expect(said(paid(), paid({ destination: stranger, authority: settler }))).toBe(isolated)
    const drain = parsed(
      'transfer',
      { source: settler, destination: stranger, lamports: 5 },
      stranger,
    )
    expect(said(paid(), drain)).toBe(isolated)
    const signed = { ...PAID, destination: stranger, signers: [stranger, settler] }
    expect(said(paid(), parsed('transferChecked', { ...signed, tokenAmount: amountOf(1n) }))).toBe(
      isolated,
    )
    expect(said(paid(), plain(stranger, [settler], Uint8Array.of(1)))).toBe(isolated)
    expect(said(paid(), plain(settler, [], Uint8Array.of(1)))).toBe(isolated)
  })

  test('is no verdict where the node does not tell the calls', () => {
    for (const inner of [null, undefined, 'none', [{ index: 0 }], within({ programIdIndex: 3 })]) {
      expect(() => verdict(inner)).toThrow(NodeFailure)
    }
    expect(() => said(paid({ tokenAmount: { amount: 7 } }))).toThrow(NodeFailure)
  })

  test('is what the chain says against it', () => {
    const reason = `${FAMILY}simulation_failed`
    expect(verdict(null, { InstructionError: [0, 'Custom'] })).toEqual({
      ok: false,
      reason,
      message: '{"InstructionError":[0,"Custom"]}',
    })
    expect(verdict(null, 'AlreadyProcessed')).toMatchObject({ reason, isUsed: true })
  })
})

describe('the account that is to be paid', () => {
  async function checked(destination: object | undefined): Promise<ExactCheck | undefined> {
    const accounts = {
      ...WORLD,
      [wallet.source]: holding(wallet.address),
      ...(destination === undefined ? {} : { [wallet.destination]: destination }),
    }
    const value = { err: null, logs: [], innerInstructions: within(paid()), unitsConsumed: 9 }
    const simulateTransaction = { context: { slot: 50 }, value }
    // It keeps what programs do, so that smart wallets may pay at all.
    const getSignaturesForAddress = [{ signature: encodeBase58(new Uint8Array(64).fill(9)) }]
    const getTransaction = { meta: { innerInstructions: [] } }
    const keeping = { getSlot: 50, getSignaturesForAddress, getTransaction }
    const lines = { simulateTransaction, ...keeping }
    const { chain, stop } = await startScripted([script(nodeWith(accounts, lines))])
    onTestFinished(stop)
    return chain.exact?.check(authorization())
  }

  test('is the receiver’s own, or made by the payment', async () => {
    expect(await checked(holding(wallet.owner.address))).toEqual({ ok: true })
    expect(await checked(undefined)).toEqual({ ok: true })
  })

  test('is none that the receiver handed to somebody else', async () => {
    expect(await checked(holding(stranger))).toMatchObject({
      ok: false,
      reason: `${FAMILY}transfer_mismatch`,
    })
  })
})
