import { describe, expect, test } from 'vitest'
import { NodeFailure } from '../../server/src/chains/chain.ts'
import { NotCarried } from '../../server/src/chains/venue.ts'
import { encodeBase58 } from '../../server/src/chains/solana/base58.ts'
import { chainLines } from '../../server/src/chains/solana/markets/test-router.ts'
import { tradeIn } from '../../server/src/chains/solana/program-trades.ts'
import { ALICE, BOB, MINT } from '../../server/src/chains/solana/test-scene.ts'
import type { Venue } from '../../server/src/chains/venue.ts'
import { BLOCK, MINED, minedLines } from './test-mined.ts'
import type { Happened } from './test-mined.ts'
import {
  COMMITMENT,
  FEE,
  HELD,
  LAMPORTS,
  VOLUME,
  openPump,
  quoteOf,
  token,
  worldOf,
} from './test-scene.ts'
import { SETTINGS, WALLET, curveOf, orderOf, pump, vectors } from './test-vectors.ts'
import { venue as module } from './venue.ts'
import type { ProgramVenue, VenueModule } from './venue-api.ts'

const AMOUNT = 4_000_000n
const broken = () => {
  throw new TypeError('of somebody else')
}

/** The plug-in with functions of its author's on a bad day. */
const changed = (change: Readonly<Record<string, unknown>>): VenueModule => ({
  ...module,
  open: (tools) => Object.assign({ ...module.open(tools) }, change),
})
const reading = (change: object) =>
  changed({
    read: (call: Parameters<ProgramVenue['read']>[0]) => ({ ...pump.read(call), ...change }),
  })

/** A sale of Alice's, as a chain with this module tells it. */
async function soldBeside(other: VenueModule, happened: Partial<Happened> = {}) {
  const out = (await quoteOf((await openPump()).venue, 'sell', AMOUNT)).amountOut
  const { venue } = await openPump(worldOf(), chainLines(LAMPORTS + out - FEE, HELD - AMOUNT))
  const quote = await quoteOf(venue, 'sell', AMOUNT)
  const order = { wallet: ALICE, quote, minimumOut: out, commitment: COMMITMENT }
  const prepared = await venue.prepare(order)
  if (!prepared.ok) throw new Error(prepared.refusal)
  const { transaction } = prepared.preparation.build([])
  const lines = minedLines(transaction, { out, ...happened })
  const { chain } = await openPump(worldOf(), lines, [other])
  const watched = { senders: new Set([ALICE]), commitments: new Set<string>() }
  return { chain, sightings: () => chain.selfCustody?.sightings([BLOCK], async () => watched) }
}

describe('a network is followed on', () => {
  test.each([
    ['throws', changed({ read: broken })],
    ['says a number', reading({ amountIn: 4_000_000 })],
    ['says less than nothing', reading({ amountIn: -1n })],
    ['names nobody', reading({ wallet: 'alice' })],
  ])(
    'where a module that reads a trade %s: it is untold, and no trade of others',
    async (_, bad) => {
      const { chain, sightings } = await soldBeside(bad)
      expect(await chain.outcomes([MINED])).toMatchObject([
        { state: 'untold', height: BLOCK.height },
      ])
      const [sighting, more] = (await sightings()) ?? []
      expect(more).toBeUndefined()
      expect(sighting).toMatchObject({ sender: ALICE, succeeded: true })
      expect(sighting).not.toHaveProperty('senderChanges')
    },
  )

  test('where a transaction failed: no module is asked', async () => {
    let asked = 0
    const counting = changed({ read: () => void (asked += 1) })
    const { chain, sightings } = await soldBeside(counting, { isFailed: true })
    expect(await chain.outcomes([MINED])).toMatchObject([{ state: 'mined', succeeded: false }])
    expect(await sightings()).toMatchObject([{ succeeded: false, transfers: [] }])
    expect(asked).toBe(0)
  })
})

test('which of several calls is the trade nobody asks', () => {
  const [, , , sale] = vectors.cases
  if (sale === undefined) throw new Error('no vectors')
  const { program, accounts, data } = pump.trade(
    { ...orderOf(sale), wallet: WALLET, minimumOut: 1n },
    [curveOf(2), ...SETTINGS],
  )
  let asked = 0
  const venue: ProgramVenue = {
    ...pump,
    read: (call) => {
      asked += 1
      return pump.read(call)
    },
  }
  const opened = { name: 'pump', program, venue }
  const call = {
    program,
    accounts: accounts.map(({ address }) => address),
    data: encodeBase58(data),
  }
  const [first, second] = [
    { ...call, index: 0 },
    { ...call, index: 1 },
  ]
  const strange = { ...second, data: encodeBase58(data.subarray(1)) }
  const elsewhere = { ...second, program: BOB }
  expect(tradeIn([first, elsewhere], [opened])).toMatchObject({ side: 'sell', index: 0 })
  expect(tradeIn([strange, elsewhere], [opened])).toBeUndefined()
  expect(asked).toBe(1)
  expect(tradeIn([first, second], [opened])).toBe('several')
  expect(tradeIn([first, strange], [opened])).toBe('several')
  expect(tradeIn([first], [opened, { ...opened, name: 'other' }])).toBe('several')
  expect(asked).toBe(1)
})

describe('a venue fails alone', () => {
  const opened = async (change: Readonly<Record<string, unknown>>): Promise<Venue> =>
    (await openPump(worldOf(), {}, [changed(change)])).venue
  const order = { side: 'sell', token, amountIn: AMOUNT } as const

  test.each([
    ['accounts', broken],
    ['accounts', () => [MINT, 'x']],
    ['quote', broken],
    ['quote', () => ({ ok: true, amountOut: 1 })],
  ])('where its %s are nothing: it is not asked', async (name, tell) => {
    await expect((await opened({ [name]: tell })).quote(order)).rejects.toThrow(NodeFailure)
  })

  test.each([
    ['trade', broken],
    ['trade', () => ({ program: BOB, accounts: [], data: 'x' })],
    ['opens', broken],
    ['opens', () => [VOLUME, VOLUME, VOLUME]],
    ['opens', () => [{ ...VOLUME, bytes: 1_025 }]],
    ['read', broken],
  ])('where its %s is nothing: nothing of it is signed', async (name, tell) => {
    const quote = await quoteOf((await openPump()).venue, 'sell', AMOUNT)
    const wish = { wallet: ALICE, quote, minimumOut: 1n, commitment: COMMITMENT }
    await expect((await opened({ [name]: tell })).draft(wish)).rejects.toThrow(NotCarried)
  })
})
