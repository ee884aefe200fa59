import { describe, expect, test } from 'vitest'
import { newId } from '../../server/src/kernel/id.ts'
import { systemRandom } from '../../server/src/kernel/random.ts'
import type { TradeSide } from '../../server/src/chains/venue.ts'
import { chainLines } from '../../server/src/chains/solana/markets/test-router.ts'
import { ALICE, MINT, RENT } from '../../server/src/chains/solana/test-scene.ts'
import { judge } from '../../server/src/transactions/judge.ts'
import {
  COMMITMENT,
  CURVE,
  FEE,
  HELD,
  LAMPORTS,
  VOLUME_RENT,
  openPump,
  quoteOf,
  worldOf,
} from './test-scene.ts'
import { BLOCK, MINED, minedLines } from './test-mined.ts'
import type { Happened } from './test-mined.ts'

const IN = { buy: 1_000_000_000n, sell: 4_000_000n }

/** A build of a trade, and what the chain shows of it once it is mined. */
async function tradeMined(
  side: TradeSide,
  { more = 0n, ...happened }: Partial<Happened> & { more?: bigint } = {},
) {
  const amountIn = IN[side]
  const { amountOut } = await quoteOf((await openPump()).venue, side, amountIn)
  const native = side === 'buy' ? -amountIn : amountOut
  const tokens = side === 'buy' ? amountOut : -amountIn
  const lines = chainLines(LAMPORTS + native - FEE, HELD + tokens)
  const { venue } = await openPump(worldOf(), lines)
  const quote = await quoteOf(venue, side, amountIn)
  const order = { wallet: ALICE, quote, minimumOut: amountOut, commitment: COMMITMENT }
  const prepared = await venue.prepare(order)
  if (!prepared.ok) throw new Error(prepared.refusal)
  const { transaction } = prepared.preparation.build([])
  const out = amountOut + more
  const { chain } = await openPump(worldOf(), minedLines(transaction, { out, ...happened }))
  const [outcome] = await chain.outcomes([MINED])
  if (outcome === undefined) throw new Error('no outcome')
  const watched = { senders: new Set([ALICE]), commitments: new Set<string>() }
  const sightings = () => chain.selfCustody?.sightings([BLOCK], async () => watched)
  return { venue, quote, out, outcome, sightings, transaction }
}

describe('a mined trade', () => {
  test.each(['buy', 'sell'] as const)('%s gave what came in, not what was quoted', async (side) => {
    const { venue, quote, out, outcome } = await tradeMined(side, { more: 7n })
    if (outcome.state !== 'mined') throw new Error(outcome.state)
    const { transfers, senderChanges } = outcome
    expect(outcome).toMatchObject({ succeeded: true, feePaid: FEE })
    const swap = { wallet: ALICE, quote, transfers, senderChanges }
    expect(venue.received(swap)).toBe(out)
    expect(venue.taken(swap)).toBe(IN[side])
    const [from, to, amount] = side === 'buy' ? [CURVE, ALICE, out] : [ALICE, CURVE, IN.sell]
    expect(transfers).toMatchObject([{ asset: MINT, from, to, amount }])
  })

  test.each(['buy', 'sell'] as const)(
    '%s that made an account cost its rent, and gave no less',
    async (side) => {
      const { venue, quote, out, outcome } = await tradeMined(side, { isFirst: true })
      if (outcome.state !== 'mined') throw new Error(outcome.state)
      const { transfers, senderChanges, feePaid } = outcome
      expect(feePaid).toBe(FEE + VOLUME_RENT)
      expect(venue.received({ wallet: ALICE, quote, transfers, senderChanges })).toBe(out)
      const native = side === 'buy' ? -IN.buy : out
      expect(senderChanges).toContainEqual({ asset: 'native', delta: native })
    },
  )

  test.each(['buy', 'sell'] as const)(
    '%s that made one account, in whatever way, cost its rent once',
    async (side) => {
      for (const [how, rent] of [
        [{ isAgain: true }, VOLUME_RENT],
        [{ ahead: RENT }, VOLUME_RENT - RENT],
        [{ ahead: RENT, isAgain: true }, VOLUME_RENT - RENT],
      ] as const) {
        const mined = await tradeMined(side, { isFirst: true, ...how })
        const { venue, quote, out, outcome } = mined
        if (outcome.state !== 'mined') throw new Error(outcome.state)
        const { transfers, senderChanges, feePaid } = outcome
        expect(feePaid).toBe(FEE + rent)
        const swap = { wallet: ALICE, quote, transfers, senderChanges }
        expect(venue.received(swap)).toBe(out)
        expect(venue.taken(swap)).toBe(IN[side])
      }
    },
  )

  test.each([false, true])(
    'a buy that took a part only says so; with rent: %s',
    async (isFirst) => {
      const taken = IN.buy - 700_000n
      const { venue, quote, out, outcome } = await tradeMined('buy', { taken, isFirst })
      if (outcome.state !== 'mined') throw new Error(outcome.state)
      const { transfers, senderChanges, feePaid } = outcome
      const swap = { wallet: ALICE, quote, transfers, senderChanges }
      expect([venue.taken(swap), venue.received(swap)]).toEqual([taken, out])
      expect(feePaid).toBe(FEE + (isFirst ? VOLUME_RENT : 0n))
      expect(venue.taken({ ...swap, senderChanges: undefined })).toBe(IN.buy)
      expect(venue.taken({ ...swap, senderChanges: [] })).toBeNull()
    },
  )

  test('that failed cost its fee alone, whatever it had begun', async () => {
    for (const isForgotten of [false, true]) {
      const { outcome } = await tradeMined('sell', { isFirst: true, isFailed: true, isForgotten })
      expect(outcome).toMatchObject({ succeeded: false, feePaid: FEE, transfers: [] })
    }
  })

  test('is untold where the node keeps no inner instructions', async () => {
    const { outcome } = await tradeMined('sell', { isForgotten: true })
    expect(outcome).toMatchObject({ state: 'untold' })
  })

  test('is nothing of ours where no module is for it', async () => {
    const { transaction, out } = await tradeMined('sell')
    const { chain } = await openPump(worldOf(), minedLines(transaction, { out }), [])
    const [outcome] = await chain.outcomes([MINED])
    expect(outcome).toMatchObject({ state: 'mined', transfers: [], feePaid: FEE })
  })
})

describe('a build that somebody else sent', () => {
  async function seen(side: TradeSide, happened: Partial<Happened>) {
    const { venue, quote, out, sightings } = await tradeMined(side, { more: 7n, ...happened })
    const [sighting] = (await sightings()) ?? []
    if (sighting === undefined) throw new Error('no sighting')
    const build = {
      paymentId: newId(systemRandom, 'pay'),
      accountId: newId(systemRandom, 'acct'),
      sender: ALICE,
      recipient: CURVE,
      asset: side === 'buy' ? 'native' : MINT,
      amount: IN[side],
      commitment: Buffer.from(COMMITMENT).toString('hex'),
      proofKey: null,
      nonce: null,
      tradeId: newId(systemRandom, 'trd'),
    }
    const { senderChanges } = sighting
    const transfers = sighting.transfers.map(({ effectIndex, ...each }) => ({
      ...each,
      logIndex: effectIndex,
    }))
    const received = venue.received({ wallet: ALICE, quote, transfers, senderChanges })
    const taken = venue.taken({ wallet: ALICE, quote, transfers, senderChanges })
    return { sighting, build, received, taken, out }
  }

  test.each(['buy', 'sell'] as const)('%s is told from its block', async (side) => {
    const { sighting, build, received, out } = await seen(side, { isFirst: true })
    expect(judge(build, sighting)).toMatchObject({ kind: 'paid', transfer: { amount: IN[side] } })
    expect(judge({ ...build, amount: IN[side] - 1n, tradeId: null }, sighting)).toMatchObject({
      kind: 'other',
    })
    expect(received).toBe(out)
    expect(sighting.feePaid).toBe(FEE + VOLUME_RENT)
  })

  test.each([
    ['buy', 3_000_000n],
    ['buy', -3_000_000n],
    ['sell', 3_000_000n],
    ['sell', -3_000_000n],
  ] as const)('%s gave and cost the same with %i lamports beside it', async (side, beside) => {
    const { sighting, taken, received, out } = await seen(side, { beside })
    expect({ received, taken }).toEqual({ received: out, taken: IN[side] })
    expect(sighting.feePaid).toBe(FEE)
  })

  test('is told by the balances where no node keeps more; what a sale gave is then not known', async () => {
    const bought = await seen('buy', { isForgotten: true })
    expect(judge(bought.build, bought.sighting)).toMatchObject({ kind: 'paid' })
    expect(bought.received).toBe(bought.out)
    const sold = await seen('sell', { isForgotten: true })
    expect(judge(sold.build, sold.sighting)).toMatchObject({ kind: 'paid' })
    expect(sold.received).toBeNull()
  })
})
