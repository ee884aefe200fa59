import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import { PAYMENT_STATUSES } from '@florin/wire/payment.ts'
import type { TransactionHash } from '../chains/chain.ts'
import type { Wallet } from '../custody/wallet.ts'
import { newId } from '../kernel/id.ts'
import type { PaymentId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { NEXT_STATUSES, statusesBefore } from './payment.ts'
import type { PaymentStatus } from './payment.ts'
import { moveAndGive } from './move-payments.ts'
import { findPayment, insertPayments } from './store.ts'
import type { StatusChange } from './store.ts'
import { makeWallet, RECIPIENT, testNetwork } from './test-lane.ts'

const SEED = Number(process.env['FLORIN_SEED'] ?? Buffer.from(systemRandom.bytes(4)).readInt32BE())
const { network } = testNetwork(84532)
const TERMINAL = PAYMENT_STATUSES.filter((status) => NEXT_STATUSES[status].length === 0)
const leadsTo = (from: PaymentStatus, to: PaymentStatus) =>
  (NEXT_STATUSES[from] as readonly PaymentStatus[]).includes(to)

let database: TestDatabase
let wallet: Wallet
beforeAll(async () => {
  database = await openTestDatabase()
  wallet = await makeWallet(database.store)
})
afterAll(() => database.close())

const inTransaction: TestDatabase['store']['inTransaction'] = (scope, work) =>
  database.store.inTransaction(scope, work)

async function aPayment(): Promise<PaymentId> {
  const id = newId(systemRandom, 'pay')
  const nothing = {
    resource: null,
    metadataText: null,
    priorityFee: null,
    commitment: null,
    transactionHash: null,
    blockHeight: null,
    logIndex: null,
    feePaid: null,
    failure: null,
    confirmedAtMilliseconds: null,
    settledAtMilliseconds: null,
  }
  const payment = {
    ...nothing,
    id,
    accountId: wallet.accountId,
    walletId: wallet.id,
    type: 'sent',
    network,
    asset: 'native',
    amount: baseUnits(5n),
    decimals: 18,
    sender: wallet.address,
    recipient: RECIPIENT,
    feeCeiling: baseUnits(1n),
    status: 'pending',
    sandbox: true,
    finalityViolated: false,
    createdAtMilliseconds: 1,
  } as const
  await inTransaction(wallet.accountId, (tx) => insertPayments(tx, [payment]))
  return id
}

/** A change as the sender would write it: facts of a block where the status needs them. */
function change(paymentId: PaymentId, to: PaymentStatus, height: number): StatusChange {
  const seen = to === 'confirmed' || to === 'settled'
  return {
    paymentId,
    transactionHash: seen ? (`0x${height}` as TransactionHash) : null,
    blockHeight: seen ? BigInt(height) : null,
    blockHash: seen ? `b${height}` : null,
    logIndex: null,
    feePaid: seen ? baseUnits(1n) : null,
    failure: to === 'failed' ? { reason: 'no_effect', message: 'nothing moved' } : null,
  }
}

/** Those that really moved; each is told as it then is. */
const move = async (ids: readonly PaymentId[], to: PaymentStatus, height = 1) => {
  const moved = await inTransaction('service', (tx) =>
    moveAndGive(
      tx,
      to,
      ids.map((id) => change(id, to, height)),
      height,
    ),
  )
  for (const payment of moved) expect(payment).toEqual(await read(payment.id))
  return new Set(moved.map(({ id }) => id))
}
const read = (id: PaymentId) =>
  inTransaction(wallet.accountId, (tx) => findPayment(tx, wallet.accountId, id))

test('a payment that is named twice is told once, as it is stored', async () => {
  const id = await aPayment()
  const moved = await inTransaction('service', (tx) =>
    moveAndGive(tx, 'confirmed', [change(id, 'confirmed', 1), change(id, 'confirmed', 2)], 3),
  )
  expect(moved).toEqual([await read(id)])
})

describe('the state table', () => {
  test('is obeyed by the database whatever is asked of it, and an end is an end', async () => {
    console.info(`status changes: FLORIN_SEED=${SEED}`)
    const status = fc.constantFrom(...PAYMENT_STATUSES)
    const step = fc.record({ to: status, which: fc.subarray([0, 1, 2], { minLength: 1 }) })
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 4, maxLength: 14, size: 'max' }),
        async (steps) => {
          const ids = await Promise.all([aPayment(), aPayment(), aPayment()])
          const model: PaymentStatus[] = ['pending', 'pending', 'pending']
          const ended = new Map<number, unknown>()
          for (const [at, { to, which }] of steps.entries()) {
            const asked = which.flatMap((index) => ids[index] ?? [])
            const moved = await move(asked, to, at + 1)
            for (const index of which) {
              const allowed = leadsTo(model[index] ?? 'pending', to)
              const id = ids[index]
              expect(id !== undefined && moved.has(id)).toBe(allowed)
              if (allowed) model[index] = to
            }
            for (const [index, id] of ids.entries()) {
              const payment = await read(id)
              expect(payment?.status).toBe(model[index])
              if (payment === undefined || !TERMINAL.includes(payment.status)) continue
              if (!ended.has(index)) ended.set(index, payment)
              expect(payment, 'nothing of an ended payment changes').toEqual(ended.get(index))
            }
          }
        },
      ),
      { numRuns: 40, seed: SEED },
    )
  })

  test('lets one of two instances have its way', async () => {
    for (let round = 0; round < 10; round += 1) {
      const id = await aPayment()
      await move([id], 'confirmed')
      const [settled, undone] = await Promise.all([move([id], 'settled'), move([id], 'pending')])
      expect([settled.size, undone.size].toSorted()).toEqual([0, 1])
    }
  })

  test('names the same statuses as the interface, and knows the ways back', () => {
    expect(Object.keys(NEXT_STATUSES).toSorted()).toEqual(PAYMENT_STATUSES.toSorted())
    for (const to of PAYMENT_STATUSES) {
      expect(statusesBefore(to)).toEqual(PAYMENT_STATUSES.filter((from) => leadsTo(from, to)))
    }
  })

  test('is what the README draws', async () => {
    const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8')
    const drawn = arrowsOf(readme)
    const table = Object.entries(NEXT_STATUSES).flatMap(([from, nexts]) =>
      nexts.map((to) => `${from} > ${to}`),
    )
    expect(drawn.toSorted()).toEqual(table.toSorted())
    const [, ends = ''] = /(\w+(?:, \w+)* and \w+) never change/.exec(readme) ?? []
    expect(ends.split(/, | and /)).toEqual(TERMINAL)
  })
})

/** The arrows of the diagram: a chain in its first line, and branches that leave from the word above their corner. */
function arrowsOf(markdown: string): string[] {
  const [first = '', ...rest] = /^(pending ──>[^`]*)```/m.exec(markdown)?.[1]?.split('\n') ?? []
  const [, main = ''] = /^((?:\w+ ──> )+\w+)/.exec(first) ?? []
  const words = main.split(' ──> ')
  const arrows = words.slice(1).map((to, index) => `${words[index]} > ${to}`)
  const above = (column: number) =>
    words.find((word) => {
      const start = main.indexOf(word)
      return column >= start && column < start + word.length
    })
  for (const line of rest) {
    const [, to] = /[├└]─[^>]*> (\w+)/.exec(line) ?? []
    if (to !== undefined) arrows.push(`${above(line.search(/[├└]/))} > ${to}`)
  }
  return arrows
}
