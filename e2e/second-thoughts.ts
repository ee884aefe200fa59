import { createPublicClient, http } from 'viem'
import { expect } from 'vitest'
import { until } from '@florin/server/kernel/until.ts'
import type { Reply } from './actors/client.ts'
import { fractions } from './actors/fractions.ts'
import { aCanceller, aPurchase, aStranger, PRICE, purchaseFrom, settle } from './actors/seller.ts'
import type { Purchase, SettleBody } from './actors/seller.ts'
import { aSolanaPayer, solanaPurchaseFrom } from './actors/solana-purchase.ts'
import type { World } from './actors/world.ts'

/** What a payer does between the seller's verify and the end of its settle. */
const DEEDS = ['keeps', 'cancels', 'drains', 'cancels in the block', 'drains in the block'] as const
type Deed = (typeof DEEDS)[number]

/** Far above what the service offers: a block takes this first. */
const FIRST_TIP_PER_GAS = 50_000_000_000n
const SOON = { seconds: 60 }
const ALL = 10n ** 6n
const PER_ROUND = 10
const REFUSED = /^invalid_exact_evm_\w+$/

interface Schedule {
  readonly deed: Deed
  readonly purchase: Purchase
}

/**
 * Payers on EVM who, after a verify that was good, cancel their authorization or move their money away: before the settle, or in the very
 * block that settles. Nobody may be told of a success without the money, nor have the money without one.
 */
export async function thinkAgainOnEvm(world: World, rounds: number, seed: number): Promise<void> {
  const random = fractions(seed)
  const client = createPublicClient({ transport: http(world.sandbox.rpcUrl) })
  const [submit, cancel] = await Promise.all([aStranger(world), aCanceller(world)])
  const verify = ({ body }: SettleBody) => world.client().post('/x402/verify', body)

  /** Once the chain has it; the money goes to somebody who is not in this story. */
  const act = async ({ deed, purchase }: Schedule): Promise<`0x${string}`> => {
    if (deed.startsWith('cancels')) return hashOf(await cancel(purchase, FIRST_TIP_PER_GAS))
    const away = await purchaseFrom(world, purchase.payer, { amount: ALL })
    return hashOf(await submit(away, FIRST_TIP_PER_GAS))
  }
  const signed = async (purchases: readonly Purchase[]) => {
    const rows = await world.database.store.query<{ count: string }>(
      'test_signed',
      `select count(*) from payments p join payment_transactions t on t.payment_id = p.id
       where p.recipient = any($1)`,
      [purchases.map(({ payTo }) => payTo)],
    )
    return Number(rows[0]?.count)
  }

  for (let round = 0; round < rounds; round += 1) {
    const schedules = await Promise.all(
      Array.from({ length: PER_ROUND }, async (): Promise<Schedule> => {
        const deed = DEEDS[Math.floor(random() * DEEDS.length)] ?? 'keeps'
        return { deed, purchase: await aPurchase(world) }
      }),
    )
    const verdicts = await Promise.all(schedules.map(({ purchase }) => verify(purchase)))
    expect(verdicts.map(({ body }) => body['isValid'])).toEqual(schedules.map(() => true))

    const [late, early] = [schedules.filter(isLate), schedules.filter((each) => !isLate(each))]
    for (const schedule of early) {
      if (schedule.deed === 'keeps') continue
      await client.waitForTransactionReceipt({ hash: await act(schedule), pollingInterval: 50 })
    }
    const earlyReplies = early.map(({ purchase }) => settle(world, purchase))
    await Promise.all(earlyReplies)
    await world.sandbox.fault({ kind: 'stop-blocks' })
    const lateReplies = late.map(({ purchase }) => settle(world, purchase))
    const meant = late.map(({ purchase }) => purchase)
    await until('all are signed', async () => (await signed(meant)) >= late.length, SOON)
    for (const schedule of late) await act(schedule)
    await world.sandbox.fault({ kind: 'resume-blocks' })

    const replies = await Promise.all([...earlyReplies, ...lateReplies])
    const told = [...early, ...late].map(({ deed }, index) => ({ deed, ...saidOf(replies[index]) }))
    expect(told).toEqual(told.map(({ deed, reason }) => expectedOf(deed, reason)))
    await expectMoneyAsTold(world, [...early, ...late], replies)
  }
}

const isInTheBlock = (deed: Deed) => deed.endsWith('in the block')
const isLate = ({ deed }: Schedule) => isInTheBlock(deed)

function saidOf(reply: Reply | undefined) {
  return { success: reply?.body['success'], reason: reply?.body['errorReason'] }
}

/**
 * A refusal in words of its own. Who used a nonce in a block that is not final is open for as long, and what came to nothing beside others
 * is sent again by itself: pending, never failed.
 */
function expectedOf(deed: Deed, reason: unknown) {
  if (deed === 'keeps') return { deed, success: true, reason: undefined }
  const said = isInTheBlock(deed) && reason === 'settlement_pending'
  if (!said) expect(String(reason)).toMatch(REFUSED)
  return { deed, success: false, reason }
}

async function expectMoneyAsTold(
  world: World,
  schedules: readonly Schedule[],
  replies: readonly Reply[],
): Promise<void> {
  const paid = await Promise.all(
    schedules.map(({ purchase: { payTo } }) => world.balanceOf(payTo, 'USDC')),
  )
  expect(paid).toEqual(replies.map(({ body }) => (body['success'] === true ? PRICE : 0n)))
  // An authorization that lives is good again with money behind it; one that was taken back is not.
  const drained = schedules.filter(({ deed }) => deed.startsWith('drains'))
  const cancelled = schedules.filter(({ deed }) => deed.startsWith('cancels'))
  await Promise.all(
    [...drained, ...cancelled].map(({ purchase: { payer } }) =>
      world.sandbox.fund(payer.address, 'USDC', '1'),
    ),
  )
  for (const { purchase } of drained) {
    expect((await settle(world, purchase)).body).toMatchObject({ success: true })
    expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(PRICE)
  }
  for (const { purchase } of cancelled) {
    await until(
      'it is refused for good',
      async () => {
        const { success, reason } = saidOf(await settle(world, purchase))
        expect(success).toBe(false)
        return REFUSED.test(String(reason))
      },
      SOON,
    )
    expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(0n)
  }
}

/**
 * Payers on Solana who sign everything they have to two sellers, each of whom finds it good: settled at the same moment, or one after the
 * other. One of them is paid.
 */
export async function thinkAgainOnSolana(
  world: World,
  rounds: number,
  seed: number,
): Promise<void> {
  const random = fractions(seed)
  for (let round = 0; round < rounds; round += 1) {
    const payer = await aSolanaPayer(world)
    const sales = await Promise.all([0, 1].map(() => solanaPurchaseFrom(world, payer, ALL)))
    for (const { body } of sales) {
      const verdict = await world.client().post('/x402/verify', body)
      expect(verdict.body).toMatchObject({ isValid: true })
    }
    const replies =
      random() < 0.5
        ? await Promise.all(sales.map((sale) => settle(world, sale)))
        : await inTurn(sales, (sale) => settle(world, sale))
    const paid = await Promise.all(sales.map(({ payTo }) => world.balanceOf(payTo, 'USDC')))
    // What a seller already had is below a payment.
    expect(paid.filter((units) => units >= ALL)).toHaveLength(1)
    expect(replies.map(({ body }) => body['success'])).toEqual(paid.map((units) => units >= ALL))
    for (const { success, reason } of replies.map(saidOf)) {
      if (success !== true) expect(String(reason)).toMatch(/^invalid_exact_svm_\w+$/)
    }
  }
}

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = []
  for (const item of items) done.push(await work(item))
  return done
}

function hashOf(text: string): `0x${string}` {
  return `0x${text.slice(2)}`
}
