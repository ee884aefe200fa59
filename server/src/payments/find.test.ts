import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import { encodePaymentProof } from '@florin/wire/transfer-proof.ts'
import type { Address, Terms, TransactionHash } from '../chains/chain.ts'
import { systemRandom } from '../kernel/random.ts'
import { beginFollowing } from '../sender/follower-store.ts'
import { advanceLane, lockLane } from '../sender/lane-store.ts'
import { storeNextAttempt, storeTransactions } from '../sender/transaction-store.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import type { Payment } from './payment.ts'
import type { Reading } from './test-records.ts'
import {
  bodyOf,
  EVM,
  EVM_OTHER,
  faultsOf,
  idsOf,
  listedIn,
  openReading,
  SOLANA,
} from './test-records.ts'

const NOW = 1_790_000_000_000
const SIGNATURE = '5'.repeat(87)

let database: TestDatabase
let reading: Reading
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  reading = await openReading(database.store)
  return () => reading.close()
})

const find = (query: Record<string, string>, as: 'alice' | 'bob' = 'alice') =>
  reading.get('/payment/find', query, as)
const newHash = () => `0x${Buffer.from(systemRandom.bytes(32)).toString('hex')}` as TransactionHash
const newAddress = () =>
  `0x${Buffer.from(systemRandom.bytes(20)).toString('hex').replaceAll(/[a-f]/g, '7')}` as Address

/** Stores payments as one transaction of a lane with two attempts, as the sender does; nothing is on chain. */
async function sign(payments: readonly Payment[], hashes: readonly TransactionHash[], nonce = 0n) {
  const [first] = payments
  if (first === undefined) throw new Error('no payment')
  const { network, sender: address } = first
  const signed = (hash: TransactionHash) => ({ raw: systemRandom.bytes(8), hash })
  const terms = JSON.parse('{}') as Terms
  await reading.store(payments)
  await database.store.inTransaction('service', async (tx) => {
    await beginFollowing(tx, network, { height: 1n, hash: 'a' })
    const lane = await lockLane(tx, network, address, nonce)
    const [hash = newHash(), ...later] = hashes
    const paymentIds = payments.map(({ id }) => id)
    const feeCeiling = baseUnits(1n)
    const place = { nonce, terms, signed: signed(hash), feeCeiling, paymentIds }
    await storeTransactions(tx, lane, [place], NOW)
    await advanceLane(tx, lane, 1)
    const [row] = await tx.query<{ id: string }>(
      'test_place',
      `select id from chain_transactions where network = $1 and lane_address = $2 and nonce = $3`,
      [network, address, nonce.toString()],
    )
    for (const [index, next] of later.entries()) {
      const attempt = { transactionId: row?.id ?? '', number: index + 1 }
      await storeNextAttempt(tx, attempt, { terms, signed: signed(next) }, network, NOW)
    }
  })
}

describe('by signature', () => {
  test('every payment of the transaction is found, newest first, whatever the spelling', async () => {
    const hash = newHash()
    const received = [1, 2, 3].map((time) =>
      reading.payment({
        type: 'received',
        transactionHash: hash,
        createdAtMilliseconds: NOW + time,
      }),
    )
    await reading.store([...received, reading.payment({ transactionHash: newHash() })])
    const ids = received.toReversed().map(({ id }) => id)
    expect(idsOf(await find({ signature: hash }))).toEqual(ids)
    expect(idsOf(await find({ signature: `0x${hash.slice(2).toUpperCase()}` }))).toEqual(ids)
    const solana = reading.payment({ transactionHash: SIGNATURE as TransactionHash })
    await reading.store([solana])
    expect(idsOf(await find({ signature: SIGNATURE }))).toEqual([solana.id])
  })

  test('a payment that is not on chain is found by any attempt at it, and shows the newest', async () => {
    const hashes = [newHash(), newHash(), newHash()]
    const payment = reading.payment({ sender: newAddress() })
    await sign([payment], hashes)
    for (const signature of hashes) {
      const answer = await find({ signature })
      expect(bodyOf(answer)['payments']).toMatchObject([
        { paymentId: payment.id, signature: hashes[2], status: 'pending' },
      ])
    }
  })

  test("another account's payments of the same transaction stay unseen", async () => {
    const hash = newHash()
    const sent = reading.payment({ sender: newAddress() })
    await sign([sent], [hash])
    const { bob } = reading.accounts
    const received = reading.payment({ accountId: bob, type: 'received', transactionHash: hash })
    await reading.store([received])
    expect(idsOf(await find({ signature: hash }))).toEqual([sent.id])
    expect(idsOf(await find({ signature: hash }, 'bob'))).toEqual([received.id])
  })

  test('that nobody has used finds nothing, and says so with an empty list', async () => {
    const answer = await find({ signature: newHash() })
    expect([answer.status, bodyOf(answer)['payments']]).toEqual([200, []])
  })
})

describe('by proof', () => {
  const committed = (fields: Partial<Payment> = {}) => {
    const payment = reading.payment({ resource: 'https://shop.example/ü~~~?a=1#b', ...fields })
    const { id: paymentId, network, asset, sender, recipient, amount, resource } = payment
    const terms = { paymentId, network, asset, sender, recipient, amount, resource }
    return { ...payment, commitment: reading.proofs.commitmentOf(terms) }
  }
  const proofOf = (payment: Payment) => reading.proofs.proofOf(payment) ?? ''

  test('the payment is found that it was issued for, and no equal one', async () => {
    const [payment, equal] = [committed(), committed()]
    await reading.store([payment, equal])
    const answer = await find({ proof: proofOf(payment) })
    expect(idsOf(answer)).toEqual([payment.id])
    expect(listedIn(answer)[0]).not.toHaveProperty('paymentProof')
    // With "+" sent as it is, which a form reads as a space.
    expect(proofOf(payment)).toContain('+')
    const spaced = proofOf(payment).replaceAll('+', ' ')
    expect(idsOf(await find({ proof: spaced }))).toEqual([payment.id])
  })

  test('a payment is found whose commitment could not go on chain', async () => {
    const [payment, equal] = [committed(), committed()].map((each) => ({
      ...each,
      commitment: null,
    }))
    if (payment === undefined || equal === undefined) throw new Error('none')
    await reading.store([payment, equal])
    expect(idsOf(await find({ proof: proofOf(payment) }))).toEqual([payment.id])
    const other = proofOf({ ...payment, amount: baseUnits(6n) })
    expect(idsOf(await find({ proof: other }))).toEqual([])
  })

  test("of another account's payment nothing is found", async () => {
    const [payment, secret] = [committed(), { ...committed(), commitment: null }]
    await reading.store([payment, secret])
    expect(idsOf(await find({ proof: proofOf(payment) }, 'bob'))).toEqual([])
    expect(idsOf(await find({ proof: proofOf(secret) }, 'bob'))).toEqual([])
  })

  test('with other terms than were paid nothing is found', async () => {
    const payment = committed()
    await reading.store([payment])
    for (const changed of [
      { amount: baseUnits(6n) },
      { resource: null },
      { recipient: EVM },
      { sender: EVM_OTHER },
    ]) {
      expect(idsOf(await find({ proof: proofOf({ ...payment, ...changed }) }))).toEqual([])
    }
  })

  test('that this service cannot have issued is refused', async () => {
    const terms = {
      asset: 'native',
      sender: EVM,
      recipient: EVM_OTHER,
      amountBaseUnits: baseUnits(1n),
    }
    const proof = { network: reading.payment().network, secret: systemRandom.bytes(32), terms }
    const of = (more: object) => encodePaymentProof({ ...proof, ...more })
    for (const text of [
      'x',
      btoa('{}'),
      of({ network: 'eip155:1' }),
      of({ terms: { ...terms, sender: SOLANA } }),
      of({ terms: { ...terms, asset: 'USDC' } }),
      of({ terms: { ...terms, resource: 'shop' } }),
    ]) {
      const answer = await find({ proof: text })
      expect([answer.status, Object.keys(faultsOf(answer))]).toEqual([400, ['proof']])
    }
  })
})

describe('by nonce', () => {
  test('the payments at that place of the sender are found, and those of its neighbours not', async () => {
    const sender = newAddress()
    const pair = [reading.payment({ sender }), reading.payment({ sender })]
    const next = reading.payment({ sender })
    await sign(pair, [newHash()], 7n)
    await sign([next], [newHash()], 8n)
    const { network } = next
    const at = (nonce: number, as?: 'bob') => find({ nonce: `${nonce}`, network, sender }, as)
    expect(idsOf(await at(7)).toSorted()).toEqual(pair.map(({ id }) => id).toSorted())
    expect(idsOf(await at(8))).toEqual([next.id])
    expect(idsOf(await at(9))).toEqual([])
    expect(idsOf(await at(8, 'bob'))).toEqual([])
    expect(idsOf(await find({ nonce: '8', network: 'base-sepolia', sender }))).toEqual([next.id])
  })
})

const hash = `0x${'a'.repeat(64)}`
const place = { nonce: '1', network: 'eip155:84532', sender: EVM }
test.each([
  [{}, ['signature', 'proof', 'nonce']],
  [{ signature: hash, proof: 'x' }, ['signature', 'proof']],
  [{ signature: hash, network: 'base' }, ['signature', 'network']],
  [{ proof: 'x', ...place }, ['proof', 'nonce', 'network', 'sender']],
  [{ nonce: '1' }, ['network', 'sender']],
  [{ network: 'base', sender: EVM }, ['nonce']],
  [{ ...place, nonce: '-1' }, ['nonce']],
  [{ ...place, nonce: '1.5' }, ['nonce']],
  [{ ...place, nonce: '9007199254740992' }, ['nonce']],
  [{ ...place, network: 'mars' }, ['network']],
  [{ ...place, network: 'solana-devnet' }, ['network']],
  [{ ...place, sender: SOLANA }, ['sender']],
  [{ ...place, sender: EVM.replace('B', 'b') }, ['sender']],
  [{ signature: '' }, ['signature']],
  [{ signature: hash.slice(1) }, ['signature']],
  [{ signature: `${hash}a` }, ['signature']],
  [{ signature: SOLANA }, ['signature']],
  [{ signature: `${hash}\0` }, ['signature']],
  [{ proof: 'a'.repeat(9_000) }, ['proof']],
  [{ signature: hash, limit: '1' }, ['limit']],
])('a search with %j is refused, naming the fields', async (query, fields) => {
  const answer = await find(query)
  expect(answer.status).toBe(400)
  expect(Object.keys(faultsOf(answer))).toEqual(fields)
})
