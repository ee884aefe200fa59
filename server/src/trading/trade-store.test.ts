import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { NetworkId } from '@florin/wire/network.ts'
import type { Address } from '../chains/chain.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { testNetwork, TOKEN } from '../payments/test-lane.ts'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { storeTestWallet } from '../store/test-wallet.ts'
import { write } from '../store/test-write.ts'
import * as trades from './trade-store.ts'
import type { Trade } from './trade.ts'
import { mintsTradedFrom } from './wallet-mints-store.ts'

const NOW = 1_790_000_000_000
const MINT = TOKEN as Address
const OTHER_MINT = '0xother' as Address
const SEEN = 10n
const HERE = testNetwork(77_001).network
const THERE = testNetwork(77_002).network

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())
const inService = <T>(work: (tx: Tx) => Promise<T>) => database.store.inTransaction('service', work)

interface Owner {
  readonly accountId: AccountId
  readonly address: Address
}
const anOwner = async (): Promise<Owner> => {
  const { id, accountId } = await storeTestWallet(database.store)
  return { accountId, address: `0x${id}` as Address }
}
let owner: Owner
beforeEach(async () => {
  owner = await anOwner()
})

interface Terms {
  readonly of?: Owner
  readonly network?: NetworkId
  readonly side?: Trade['side']
  readonly mint?: Address
  readonly at?: number
  readonly status?: string
}

async function trade({ of = owner, network = HERE, side = 'buy', ...terms }: Terms = {}) {
  const { mint = MINT, at = NOW, status = 'pending' } = terms
  const stored: Trade = {
    ...{ id: newId(systemRandom, 'trd'), accountId: of.accountId, side, network },
    ...{ paymentId: newId(systemRandom, 'pay'), walletAddress: of.address, venue: 'uniswap-v2' },
    ...{ token: { mint, decimals: 6, symbol: null }, nativeDecimals: 18, amountIn: 100n },
    ...{ taken: null, quotedOut: 30n, minimumOut: 20n, received: null, priorityFeeUsed: null },
    ...{ slippage: '1', priceImpactBasisPoints: null, quotedHeight: 1n, route: {} },
  }
  await write(
    database.store,
    'test_payment',
    `insert into payments (id, account_id, type, network, asset, amount, decimals, sender, recipient, sandbox, created_at, status,
       transaction_hash, block_height, block_hash, log_index, confirmed_at, settled_at)
     select $1, $2, 'sent', $3, 'native', 100, 18, 'a', 'b', true, now(), $4, hash, case when hash is not null then 10 end,
       case when hash is not null then 'b10' end, 0, case when hash is not null then now() end, case when hash is not null then now() end
     from (select case when $4 = 'settled' then $1 end as hash) as seen`,
    [stored.paymentId, of.accountId, network, status],
  )
  await inService((tx) => trades.insertTrade(tx, stored, at))
  return stored
}

const mine = (units: bigint, height: bigint, ...mined: readonly Trade[]) =>
  inService((tx) =>
    trades.noteMined(
      tx,
      mined.map(({ id }) => ({
        ...{ tradeId: id, received: { units, height }, taken: 90n, priorityFeeUsed: 1n },
      })),
    ),
  )
const bought = async (units: bigint, height: bigint, terms: Terms = {}) => {
  const stored = await trade(terms)
  await mine(units, height, stored)
  return stored
}
const read = async ({ id }: Trade) => {
  const [found] = await inService((tx) => trades.tradesOf(tx, [id]))
  return found
}

const looks = [{ asset: MINT as string, heightMax: SEEN }]
const walletOf = ({ address }: Owner) => ({ address, network: HERE, looks, untold: [] })
const proceeds = ({ paymentId }: Trade, units: bigint, asset: string = MINT) => ({
  ...{ paymentId, asset, units },
})

describe('what a trade brought in', () => {
  test('is booked once, to the asset of a look at its wallet that reaches its block', async () => {
    const [own, also] = [await bought(30n, SEEN), await bought(31n, SEEN - 1n)]
    const later = await bought(32n, SEEN + 1n)
    const sold = await bought(33n, SEEN, { side: 'sell' })
    await bought(34n, SEEN, { mint: OTHER_MINT })
    await bought(35n, SEEN, { network: THERE })
    await bought(36n, SEEN, { of: await anOwner() })
    await trade()
    const bookUpTo = () => inService((tx) => trades.bookUpTo(tx, walletOf(owner)))
    const booked = await bookUpTo()
    expect(booked.toSorted((one, two) => Number(one.units - two.units))).toEqual([
      proceeds(own, 30n),
      proceeds(also, 31n),
    ])
    expect(await bookUpTo()).toEqual([])
    const final = [own, later, sold].map(({ paymentId }) => paymentId)
    const bookFinal = () => inService((tx) => trades.bookFinal(tx, final))
    const last = await bookFinal()
    expect(last.toSorted((one, two) => Number(one.units - two.units))).toEqual([
      proceeds(later, 32n),
      proceeds(sold, 33n, 'native'),
    ])
    expect(await bookFinal()).toEqual([])
  })

  test('is nothing as long as nobody has seen it', async () => {
    const { paymentId } = await trade()
    expect(await inService((tx) => trades.bookFinal(tx, [paymentId]))).toEqual([])
    expect(await inService((tx) => trades.bookUpTo(tx, walletOf(owner)))).toEqual([])
  })

  test('and nobody tells is in what a look found, once and up to that look, whatever is told later', async () => {
    const [untold, above, sold, told, ...others] = [
      await trade(),
      await trade(),
      await trade({ side: 'sell' }),
      await bought(30n, SEEN),
      await trade(),
    ]
    const of = (height: bigint, ...named: readonly Trade[]) =>
      named.map(({ paymentId }) => ({ paymentId, height }))
    const asked = { looks, untold: [...of(SEEN, untold, sold, told), ...of(SEEN + 1n, above)] }
    const bookUntold = () => inService((tx) => trades.bookUntold(tx, asked))
    expect(await bookUntold()).toEqual([proceeds(told, 30n)])
    expect(await bookUntold()).toEqual([])
    const all = [untold, above, sold, told, ...others]
    await mine(40n, SEEN, untold, above, sold, ...others)
    const final = await inService((tx) =>
      trades.bookFinal(
        tx,
        all.map(({ paymentId }) => paymentId),
      ),
    )
    expect(new Set(final.map(({ paymentId }) => paymentId))).toEqual(
      new Set([above, sold, ...others].map(({ paymentId }) => paymentId)),
    )
  })

  test('is forgotten of the named trades alone, and of none that is settled', async () => {
    const [gone, kept] = [await bought(30n, SEEN), await bought(31n, SEEN)]
    const settled = await trade({ status: 'settled' })
    await mine(32n, SEEN, settled)
    expect(await read(settled)).toMatchObject({ received: null, priorityFeeUsed: null })
    await write(database.store, 'test_brought', 'update trades set received = 32 where id = $1', [
      settled.id,
    ])
    const named = [gone.paymentId, settled.paymentId]
    await inService((tx) => trades.forgetReceived(tx, named))
    expect(await read(gone)).toMatchObject({ received: null, taken: null, priorityFeeUsed: null })
    expect(await read(kept)).toMatchObject({ received: 31n, taken: 90n, priorityFeeUsed: 1n })
    expect(await read(settled)).toMatchObject({ received: 32n })
  })

  test('stays as it was told where nobody can read it in another block', async () => {
    const [own, other] = [await bought(30n, SEEN), await bought(31n, SEEN)]
    const unread = { received: null, taken: null, priorityFeeUsed: null }
    await inService((tx) => trades.noteMined(tx, [{ tradeId: own.id, ...unread }]))
    expect(await read(own)).toMatchObject({ received: 30n, taken: 90n, priorityFeeUsed: null })
    expect(await read(other)).toMatchObject({ received: 31n, priorityFeeUsed: 1n })
  })
})

test('a trade is its account’s alone, whoever else trades from the same wallet', async () => {
  const stranger = { ...(await anOwner()), address: owner.address }
  const [own, theirs] = [await trade(), await trade({ of: stranger, mint: OTHER_MINT })]
  const seenBy = ({ accountId, address }: Owner, asked: Trade) =>
    inService(async (tx) => ({
      byId: (await trades.findTrade(tx, accountId, asked.id))?.id,
      byPayment: (await trades.findTradeOf(tx, accountId, asked.paymentId))?.id,
      listed: (
        await trades.tradesOfWallet(tx, {
          ...{ accountId, walletAddress: address, mint: null, after: null, count: 9 },
        })
      ).map((each) => each.trade.id),
      mints: await mintsTradedFrom(tx, {
        ...{ accountId, network: HERE, walletAddress: address, count: 9 },
      }),
    }))
  const none = { byId: undefined, byPayment: undefined }
  const shown = { byId: own.id, byPayment: own.id, listed: [own.id], mints: [MINT] }
  expect(await seenBy(owner, own)).toEqual(shown)
  expect(await seenBy(owner, theirs)).toEqual({ ...shown, ...none })
  expect(await seenBy(stranger, own)).toEqual({
    ...{ ...none, listed: [theirs.id], mints: [OTHER_MINT] },
  })
  const found = async (paymentId: PaymentId) =>
    (await inService((tx) => trades.findTradeOf(tx, owner.accountId, paymentId)))?.id
  const next = await trade()
  expect([await found(own.paymentId), await found(next.paymentId)]).toEqual([own.id, next.id])
})

test('the trades of a wallet are listed newest first, by pages and by token, and so are its tokens', async () => {
  const listed: Trade[] = []
  for (const [at, mint] of [MINT, OTHER_MINT, MINT, MINT].entries()) {
    listed.unshift(await trade({ at: NOW + at, mint }))
  }
  await trade({ at: NOW + 9, of: { ...(await anOwner()), accountId: owner.accountId } })
  await trade({ at: NOW + 9, network: THERE, mint: '0xthere' as Address })
  const page = (
    count: number,
    more: Partial<Pick<Parameters<typeof trades.tradesOfWallet>[1], 'mint' | 'after'>> = {},
  ) => {
    const { accountId, address: walletAddress } = owner
    const asked = { accountId, walletAddress, mint: null, after: null, count, ...more }
    return inService((tx) => trades.tradesOfWallet(tx, asked))
  }
  const ids = (found: Awaited<ReturnType<typeof page>>) => found.map((each) => each.trade.id)
  const all = listed.map(({ id }) => id)
  const [, ...first] = await page(3)
  expect(ids(first)).toEqual(all.slice(0, 2))
  expect(ids(await page(9, { after: first.at(-1)?.position ?? null }))).toEqual(all.slice(2))
  expect(ids(await page(9, { mint: OTHER_MINT }))).toEqual([all[2]])
  const mints = (count: number) =>
    inService((tx) => {
      const { accountId, address: walletAddress } = owner
      return mintsTradedFrom(tx, { accountId, network: HERE, walletAddress, count })
    })
  expect([await mints(9), await mints(1)]).toEqual([[MINT, OTHER_MINT], [MINT]])
})
