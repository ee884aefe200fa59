import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testPayer } from '@florin/server/chains/evm/test-payer.ts'
import { until } from '@florin/server/kernel/until.ts'
import type { Reply } from './actors/client.ts'
import { aPurchase, aStranger, PRICE, purchaseFrom, settle } from './actors/seller.ts'
import type { Purchase } from './actors/seller.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

const PAYMENTS = 24
const PAYERS = 4
const SOON = { seconds: 40 }
/** Far above what the service offers: its block takes this first. */
const FIRST_TIP_PER_GAS = 50_000_000_000n

describe('settlements at the same moment', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
  })
  // Holds every invariant once more: one place for each payment, no nonce twice, the books whole.
  afterAll(() => world.stop())

  interface Place {
    readonly recipient: string
    readonly hash: string
    readonly status: string
    readonly log_index: number | null
    readonly fee_paid: string | null
    readonly signed_at: Date
  }
  const placesOf = (purchases: readonly Purchase[]) =>
    world.database.store.query<Place>(
      'test_places_together',
      `select p.recipient, a.hash, p.status, p.log_index, p.fee_paid, c.created_at as signed_at
       from payments p join payment_transactions t on t.payment_id = p.id
       join chain_transactions c on c.id = t.chain_transaction_id
       join attempts a on a.chain_transaction_id = c.id and a.number = 1
       where p.recipient = any($1) order by c.id`,
      [purchases.map(({ payTo }) => payTo)],
    )
  const paidOf = (purchases: readonly Purchase[]) =>
    Promise.all(purchases.map(({ payTo }) => world.balanceOf(payTo, 'USDC')))
  const some = (count: number) => Promise.all(Array.from({ length: count }, () => aPurchase(world)))
  /** Signs all of them while no block is made; what the given work does then is in the block that all of them meet. */
  const inOneBlock = async (purchases: readonly Purchase[], work: () => Promise<unknown>) => {
    await world.sandbox.fault({ kind: 'stop-blocks' })
    const replies = purchases.map((purchase) => settle(world, purchase))
    await until(
      'all are signed',
      async () => (await placesOf(purchases)).length >= purchases.length,
      SOON,
    )
    await work()
    await world.sandbox.fault({ kind: 'resume-blocks' })
    return Promise.all(replies)
  }
  const inputOf = async (hash: string | undefined): Promise<string> => {
    const call = { jsonrpc: '2.0', id: 1, method: 'eth_getTransactionByHash', params: [hash] }
    const reply = await fetch(world.sandbox.rpcUrl, { method: 'POST', body: JSON.stringify(call) })
    return String(Object(Object(await reply.json()).result).input)
  }
  const setCode = (address: string, code: string) =>
    fetch(world.sandbox.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'anvil_setCode' },
        params: [address, code],
      }),
    })
  const hashOf = ({ body }: Reply | undefined = { status: 0 } as never) =>
    String(body['transaction'])

  test('each moves its own money once, whoever comes twice or may not have it', async () => {
    const first = await some(PAYERS)
    const purchases = await Promise.all(
      Array.from({ length: PAYMENTS }, (_, index) => {
        const payer = first[index % PAYERS]?.payer
        if (payer === undefined) throw new Error('nobody pays')
        return purchaseFrom(world, payer)
      }),
    )
    // Money that is not there, in the middle of the others.
    const poor = await purchaseFrom(world, first[0]?.payer ?? testPayer(), {
      amount: 10n ** 12n,
    })
    const twice = purchases.slice(0, 4)
    const [replies, repeated, refused] = await Promise.all([
      Promise.all(purchases.map((purchase) => settle(world, purchase))),
      Promise.all(twice.map((purchase) => settle(world, purchase))),
      settle(world, poor),
    ])
    const successes = [...replies, ...repeated].filter(({ body }) => body['success'] === true)
    expect(successes).toHaveLength(PAYMENTS)
    expect(refused.body).toMatchObject({ success: false, transaction: '' })
    expect(await paidOf(purchases)).toEqual(purchases.map(() => PRICE))
    const places = await placesOf(purchases)
    expect(places).toHaveLength(PAYMENTS)
    // What this is about: many of them were claimed in one transaction of the database, and sent in one of the chain.
    expect(new Set(places.map(({ signed_at: at }) => at.getTime())).size).toBeLessThan(PAYMENTS)
    expect(new Set(places.map(({ hash }) => hash)).size).toBeLessThan(PAYMENTS)
    expect(new Set(successes.map(hashOf)).size).toBe(new Set(places.map(({ hash }) => hash)).size)
    // Each has its own effect in it.
    const effects = places.map(({ hash, log_index: log }) => `${hash} ${log}`)
    expect(new Set(effects).size).toBe(PAYMENTS)
  })

  test('a stranger who is faster with one of them takes nothing from the others, and that one is paid too', async () => {
    const purchases = await some(6)
    const chosen = purchases[3]
    if (chosen === undefined) throw new Error('no purchase')
    const submit = await aStranger(world)
    let hash = ''
    const replies = await inOneBlock(purchases, async () => {
      hash = await submit(chosen, FIRST_TIP_PER_GAS)
    })
    expect(replies.map(({ body }) => body['success'])).toEqual(purchases.map(() => true))
    expect(hashOf(replies[3])).toBe(hash)
    expect(await paidOf(purchases)).toEqual(purchases.map(() => PRICE))
    const shared = new Set(replies.filter((_, index) => index !== 3).map(hashOf))
    expect(shared.size).toBeLessThan(5)
    expect(shared.has(hash)).toBe(false)
  })

  test('a payer whose money has gone meanwhile waits alone, and is paid for once there is some again', async () => {
    const purchases = await some(6)
    let chosen = purchases[4]
    let isShared = false
    const submit = await aStranger(world)
    const replies = await inOneBlock(purchases, async () => {
      // Which of them came to share a transaction is a matter of the moment.
      const places = await placesOf(purchases)
      const shared = places.find(({ hash }, at) => places.findIndex((p) => p.hash === hash) < at)
      isShared = shared !== undefined
      if (isShared) chosen = purchases.find(({ payTo }) => payTo === shared?.recipient)
      if (chosen === undefined) throw new Error('no purchase')
      // Everything that the payer has, to somebody else.
      const drain = await purchaseFrom(world, chosen.payer, { amount: 10n ** 6n })
      await submit(drain, FIRST_TIP_PER_GAS)
    })
    if (chosen === undefined) throw new Error('no purchase')
    expect(replies.map(({ body }) => body['success'])).toEqual(
      purchases.map((purchase) => purchase !== chosen),
    )
    expect(replies[purchases.indexOf(chosen)]?.body).toMatchObject({
      // What came to nothing beside others is sent again by itself, so nobody is told a final no; one of its own is told what became of that.
      errorReason: isShared ? 'settlement_pending' : 'invalid_exact_evm_transaction_failed',
    })
    const paid = await paidOf(purchases)
    expect(paid).toEqual(purchases.map((purchase) => (purchase === chosen ? 0n : PRICE)))
    // The authorization lives, and so does the payment: with money there it is settled after all, in a transaction of its own.
    expect((await placesOf([chosen])).map(({ status }) => status)).toEqual(['pending'])
    await world.sandbox.fund(chosen.payer.address, 'USDC', '1')
    const again = await settle(world, chosen)
    expect(again.body).toMatchObject({ success: true })
    expect(replies.map(hashOf)).not.toContain(hashOf(again))
    expect(await paidOf([chosen])).toEqual([PRICE])
  })

  test('a seller who wants a transaction of its own has one', async () => {
    const purchases = await some(6)
    const own = await aPurchase(world)
    const requirements = own.body.paymentRequirements
    const body = {
      ...own.body,
      paymentRequirements: {
        ...requirements,
        extra: { name: 'USDC', version: '2', sharedTransaction: false },
      },
    }
    const replies = await inOneBlock([...purchases, { ...own, body }], async () => undefined)
    expect(replies.map(({ body: { success } }) => success)).toEqual(replies.map(() => true))
    const alone = hashOf(replies.at(-1))
    expect(replies.slice(0, -1).map(hashOf)).not.toContain(alone)
    expect(new Set(replies.slice(0, -1).map(hashOf)).size).toBeLessThan(6)
  })

  test('what a reorganisation takes off the chain together comes back together', async () => {
    const purchases = await some(5)
    const replies = await inOneBlock(purchases, async () => undefined)
    expect(replies.map(({ body }) => body['success'])).toEqual(purchases.map(() => true))
    await world.sandbox.fault({ kind: 'reorg', depth: 1 })
    await until(
      'all are settled',
      async () => (await placesOf(purchases)).every(({ status }) => status === 'settled'),
      SOON,
    )
    expect(await paidOf(purchases)).toEqual(purchases.map(() => PRICE))
  })

  test('a payer who gets code meanwhile burns one transaction, and everybody else is paid by another', async () => {
    const purchases = await some(8)
    let evil: Purchase | undefined
    const joined: Promise<Reply>[] = []
    const replies = await inOneBlock(purchases, async () => {
      const places = await placesOf(purchases)
      const shared = places.find(
        ({ hash, recipient }) =>
          places.filter((place) => place.hash === hash && place.recipient !== recipient).length > 0,
      )
      const beside = places.filter(({ hash }) => hash === shared?.hash)
      // The first call of it: what a last one burns, nobody misses.
      const calls = await inputOf(shared?.hash)
      const at = ({ payTo }: Purchase) => calls.indexOf(payTo.slice(2).toLowerCase())
      evil = purchases
        .filter(({ payTo }) => beside.some(({ recipient }) => recipient === payTo))
        .toSorted((one, other) => at(one) - at(other))[0]
      if (evil === undefined) throw new Error('nobody shares')
      // An invalid instruction takes all the gas that the call was given.
      await setCode(evil.payer.address, '0xfe')
      const rows = await world.database.store.query<{ id: string }>(
        'test_payment_ids',
        `select id from payments where recipient = any($1) and recipient <> $2`,
        [purchases.map(({ payTo }) => payTo), evil.payTo],
      )
      for (const { id } of rows) {
        joined.push(world.client().post('/payment/settle', { paymentId: id }))
      }
    })
    if (evil === undefined) throw new Error('nobody shares')
    const at = purchases.indexOf(evil)
    expect(replies[at]?.body).toMatchObject({
      success: false,
      errorReason: 'settlement_pending',
    })
    const others = replies.filter((_, index) => index !== at)
    // Whoever joins by the payment's id may be the one who hears of the success; nobody is told that it failed.
    const words = await Promise.all(joined)
    expect(words.filter(({ status }) => ![200, 409, 503].includes(status))).toEqual([])
    expect(others.every(({ status }) => status === 200)).toBe(true)
    await until(
      'everybody else is paid',
      async () =>
        (await paidOf(purchases)).every((paid, index) => paid === (index === at ? 0n : PRICE)),
      SOON,
    )
    await setCode(evil.payer.address, '0x')
    expect((await settle(world, evil)).body).toMatchObject({ success: true })
    // For a while nobody is put beside others.
    const later = await inOneBlock(await some(4), async () => undefined)
    expect(new Set(later.map(hashOf)).size).toBe(4)
  })
})
