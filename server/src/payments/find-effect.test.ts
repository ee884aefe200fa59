import { expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import type { Address, TokenTransfer, TransactionHash } from '../chains/chain.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import type { MinedTransaction } from '../sender/book.ts'
import { findEffect } from './find-effect.ts'
import type { Payment } from './payment.ts'
import { RECIPIENT, testNetwork, TOKEN } from './test-lane.ts'

const { network } = testNetwork(84_532)
const SENDER = '0x00000000000000000000000000000000000000aa' as Address
const STRANGER = '0x00000000000000000000000000000000000000cc' as Address

/** A payment of ten units of the token. */
function paymentOf(change: Partial<Payment> = {}): Payment {
  return {
    ...{ id: newId(systemRandom, 'pay'), accountId: newId(systemRandom, 'acct'), type: 'sent' },
    ...{ walletId: null, network, asset: TOKEN, amount: baseUnits(10n), decimals: 6 },
    ...{ sender: SENDER, recipient: RECIPIENT, resource: null, metadataText: null },
    ...{ priorityFee: null, feeCeiling: null, commitment: null, status: 'pending', sandbox: true },
    ...{ finalityViolated: false, transactionHash: null, blockHeight: null, logIndex: null },
    ...{ feePaid: null, failure: null, createdAtMilliseconds: 0 },
    ...{ confirmedAtMilliseconds: null, settledAtMilliseconds: null },
    ...change,
  }
}

const moved = (change: Partial<TokenTransfer> = {}): TokenTransfer => ({
  ...{ asset: TOKEN, from: SENDER, to: RECIPIENT, amount: 10n, logIndex: 1 },
  ...change,
})

function find(
  payment: Payment,
  transfers: readonly TokenTransfer[],
  { used = new Set<number>(), paysAccounts = false } = {},
) {
  const mined: MinedTransaction = {
    ...{ network, hash: '0x1' as TransactionHash, height: 1n, blockHash: 'a', succeeded: true },
    ...{ feePaid: baseUnits(0n), paymentIds: [payment.id], transfers },
    ...(paysAccounts ? { paysAccounts } : {}),
  }
  return findEffect(payment, mined, used)
}

test.each([
  ['of another token', { asset: 'another' }],
  ['from somebody else', { from: STRANGER }],
  ['to somebody else', { to: STRANGER }],
  ['of more', { amount: 11n }],
  ['of nothing', { amount: 0n }],
])('a transfer %s is not the effect of a payment, sent or received', (_, change) => {
  for (const type of ['sent', 'received'] as const) {
    expect(find(paymentOf({ type }), [moved(change)])).toBeUndefined()
    const own = moved({ logIndex: 2 })
    expect(find(paymentOf({ type }), [moved(change), own])).toEqual({ logIndex: 2 })
  }
})

test('less than was sent is the effect of our own bytes, and is told; of a sale it is neither told', () => {
  const less = [moved({ amount: 9n })]
  expect(find(paymentOf(), less)).toMatchObject({
    logIndex: 1,
    remark: { reason: 'recipient_got_less' },
  })
  const tradeId = newId(systemRandom, 'trd')
  expect(find(paymentOf({ tradeId }), less)).toEqual({ logIndex: 1 })
})

test('less than was asked for pays nobody', () => {
  expect(find(paymentOf({ type: 'received' }), [moved({ amount: 9n })])).toBeUndefined()
})

test('one transfer is the effect of one payment', () => {
  const used = new Set<number>()
  const two = [moved(), moved({ logIndex: 2 })]
  expect(find(paymentOf(), two, { used })).toEqual({ logIndex: 1 })
  expect(find(paymentOf(), two, { used })).toEqual({ logIndex: 2 })
  expect(find(paymentOf(), two, { used })).toBeUndefined()
})

test('the whole is found before a part of it', () => {
  const both = [moved({ amount: 9n }), moved({ logIndex: 2 })]
  expect(find(paymentOf(), both)).toEqual({ logIndex: 2 })
})

test('who owns the recipient’s own account by now is asked of our own bytes alone, where they name accounts', () => {
  const elsewhere = [moved({ to: STRANGER })]
  expect(find(paymentOf(), elsewhere, { paysAccounts: true })).toEqual({ logIndex: 1 })
  expect(find(paymentOf(), elsewhere)).toBeUndefined()
  const received = paymentOf({ type: 'received' })
  expect(find(received, elsewhere, { paysAccounts: true })).toBeUndefined()
})

test('the recipient’s account that has become the payer’s own is told', () => {
  const back = [moved({ to: SENDER })]
  const found = find(paymentOf(), back, { paysAccounts: true })
  expect(found?.logIndex).toBe(1)
  expect(found?.remark).toBeDefined()
  const trade = paymentOf({ tradeId: newId(systemRandom, 'trd') })
  expect(find(trade, back, { paysAccounts: true })).toEqual({ logIndex: 1 })
  expect(find(paymentOf({ recipient: SENDER }), back)).toEqual({ logIndex: 1 })
})

test('native currency moves by the success itself', () => {
  expect(find(paymentOf({ asset: 'native' }), [])).toEqual({ logIndex: null })
})
