import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import type { Store } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { giveSuccess, openTaking } from './give.ts'
import type { Given, Once } from './give.ts'
import { write } from '../store/test-write.ts'

describe('the one success of a claim', () => {
  let database: TestDatabase
  let accountId: AccountId
  beforeAll(async () => {
    database = await openTestDatabase()
    accountId = newId(systemRandom, 'acct')
    await write(
      database.store,
      'test_account',
      `insert into accounts (id, name) values ($1, 'a')`,
      [accountId],
    )
  })
  afterAll(() => database.close())

  let claims = 0
  async function aClaim(): Promise<PaymentId> {
    const paymentId = newId(systemRandom, 'pay')
    await database.store.inTransaction('service', async (tx) => {
      await tx.query(
        'test_payment',
        `insert into payments (id, account_id, type, network, asset, amount, decimals, sender, recipient, sandbox, created_at)
         values ($1, $2, 'received', 'eip155:84532', 'native', 1, 18, 'a', 'b', true, now())`,
        [paymentId, accountId],
      )
      await tx.query(
        'test_claim',
        `insert into settlement_claims (payment_id, account_id, network, proof_key, terms_digest, "authorization",
           since_height, created_at)
         values ($1, $2, 'eip155:84532', $3, decode(repeat('00', 32), 'hex'), '{}', 0, now())`,
        [paymentId, accountId, `test:${(claims += 1)}`],
      )
    })
    return paymentId
  }
  const give = (paymentId: PaymentId, once: Once | null = null): Promise<Given> =>
    giveSuccess({ store: database.store, clock: systemClock }, { accountId, paymentId }, once)
  const under = (key: string, content = 1): Once => ({
    operation: 'receivePayment',
    key,
    fingerprint: new Uint8Array(32).fill(content),
  })
  const kinds = (given: readonly Given[]) =>
    given.map((one) => (one.kind === 'given' ? (one.replayed ? 'replayed' : 'given') : one.kind))

  test('is given once of many who ask at once', async () => {
    const paymentId = await aClaim()
    const all = await Promise.all(Array.from({ length: 20 }, () => give(paymentId)))
    expect(kinds(all).filter((kind) => kind === 'given')).toHaveLength(1)
  })

  test('is given once of many who ask at once, on two instances that take together', async () => {
    const paymentIds = await Promise.all(Array.from({ length: 20 }, aClaim))
    const { store } = database
    const [one, other] = [1, 2].map(() => openTaking({ store, clock: systemClock }))
    const asked = paymentIds.flatMap((paymentId, index) =>
      [one, other, one].map(async (take) => {
        const deps = { store, clock: systemClock, ...(take === undefined ? {} : { take }) }
        const given = await giveSuccess(deps, { accountId, paymentId }, null)
        return given.kind === 'given' ? index : undefined
      }),
    )
    const winners = (await Promise.all(asked)).filter((index) => index !== undefined)
    expect(winners.toSorted((a, b) => a - b)).toEqual(paymentIds.map((_, index) => index))
  })

  test('is to be had again when it was taken together and reached nobody', async () => {
    const paymentId = await aClaim()
    const { store } = database
    const deps = { store, clock: systemClock, take: openTaking({ store, clock: systemClock }) }
    const ask = () => giveSuccess(deps, { accountId, paymentId }, null)
    const first = await ask()
    if (first.kind !== 'given') throw new Error('it was not given')
    expect((await ask()).kind).toBe('gone')
    await first.takeBack()
    expect((await ask()).kind).toBe('given')
  })

  test('is given to one caller when it is given back while another asks under its key', async () => {
    const paymentId = await aClaim()
    const { store } = database
    const first = await give(paymentId, under('taken-back'))
    if (first.kind !== 'given') throw new Error('it was not given')
    // The other has read the key when the first one's success comes back.
    const during: Pick<Store, 'inTransaction'> = {
      inTransaction: (scope, work) =>
        store.inTransaction(scope, async (tx) => {
          let isFirst = true
          return work({
            query: async (name, text, values) => {
              if (name === 'claim_answer_keep' && isFirst) {
                isFirst = false
                await first.takeBack()
              }
              return tx.query(name, text, values)
            },
          })
        }),
    }
    const deps = { store: { ...store, ...during }, clock: systemClock }
    const second = await giveSuccess(deps, { accountId, paymentId }, under('taken-back'))
    const third = await give(paymentId)
    expect(kinds([second, third])).toEqual(['given', 'gone'])
  })

  test('is given once and again to all who ask under one key, and to nobody else', async () => {
    const paymentId = await aClaim()
    const all = await Promise.all(Array.from({ length: 20 }, () => give(paymentId, under('a'))))
    expect(kinds(all).filter((kind) => kind === 'given')).toHaveLength(1)
    expect(kinds(all).filter((kind) => kind === 'replayed')).toHaveLength(19)
    expect(kinds([await give(paymentId), await give(paymentId, under('b'))])).toEqual([
      'gone',
      'gone',
    ])
  })

  test('a key that got nothing is free for something else', async () => {
    const [first, second] = [await aClaim(), await aClaim()]
    await give(first)
    expect(kinds([await give(first, under('c')), await give(second, under('c', 2))])).toEqual([
      'gone',
      'given',
    ])
  })

  test('a key of another content or another payment is refused, and takes nothing', async () => {
    const [first, second] = [await aClaim(), await aClaim()]
    await give(first, under('d'))
    await expect(give(first, under('d', 2))).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' })
    await expect(give(second, under('d'))).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' })
    expect(kinds([await give(second)])).toEqual(['given'])
  })

  test('is given back with its key by whoever took it, and then not any more', async () => {
    const paymentId = await aClaim()
    const first = await give(paymentId, under('e'))
    if (first.kind !== 'given') throw new Error('not given')
    await first.takeBack()
    expect(kinds([await give(paymentId)])).toEqual(['given'])
    await first.takeBack()
    expect(kinds([await give(paymentId), await give(paymentId, under('e'))])).toEqual([
      'gone',
      'gone',
    ])
  })

  test('cannot be given back once its key was answered again', async () => {
    const paymentId = await aClaim()
    const first = await give(paymentId, under('f'))
    expect(kinds([await give(paymentId, under('f'))])).toEqual(['replayed'])
    if (first.kind !== 'given') throw new Error('not given')
    await first.takeBack()
    expect(kinds([await give(paymentId), await give(paymentId, under('f'))])).toEqual([
      'gone',
      'replayed',
    ])
  })
})
