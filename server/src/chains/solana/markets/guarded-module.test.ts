import { describe, expect, test } from 'vitest'
import { openLog } from '../../../kernel/log.ts'
import { bestQuotes } from '../../../trading/best-quote.ts'
import { scriptedVenue } from '../../../trading/test-venue.ts'
import { NodeFailure } from '../../chain.ts'
import { NotCarried } from '../../venue.ts'
import { TOKEN_PROGRAM } from '../programs.ts'
import { testNetwork } from '../test-network.ts'
import { ALICE, BOB, HASH, MINT } from '../test-scene.ts'
import type { ProgramVenue, VenueModule } from '../venue-module.ts'
import { guarded } from './guarded-module.ts'
import { openModules } from './open-module.ts'

const U64_MAX = 2n ** 64n - 1n
const mint = { address: MINT, program: TOKEN_PROGRAM }
const ORDER = { side: 'buy', mint, amountIn: 1n } as const
const CALL = { program: BOB, accounts: [], data: Uint8Array.of(1) }
const TRADE = {
  side: 'buy',
  wallet: ALICE,
  mint: MINT,
  amountIn: U64_MAX,
  minimumOut: 0n,
  counterparty: BOB,
} as const
const QUOTE = { ok: true, amountOut: 5n, priceImpactBasisPoints: null, route: { a: 'b' } } as const
const STEP = {
  program: BOB,
  accounts: [{ address: ALICE, isWritable: true }],
  data: Uint8Array.of(1),
}
const OPENED = { address: ALICE, bytes: 1_024 }

/** What a module answers is whatever its author wrote. */
function venueOf(told: Readonly<Record<string, unknown>>): ProgramVenue {
  const answers: Readonly<Record<string, unknown>> = {
    accounts: [ALICE],
    quote: QUOTE,
    trade: STEP,
    opens: [OPENED, OPENED],
    read: TRADE,
    ...told,
  }
  const tell = (name: string) => () => answers[name]
  return Object.assign(Object.create(null), {
    dataBytes: 1,
    ...Object.fromEntries(Object.keys(answers).map((name) => [name, tell(name)])),
    ...('dataBytes' in told ? { dataBytes: told['dataBytes'] } : {}),
  })
}

function asked(venue: ProgramVenue) {
  const failed: string[] = []
  const { accounts, quote, trade, opens, read } = guarded(venue, (what) => failed.push(what))
  const asks = {
    accounts: () => accounts(mint),
    quote: () => quote(ORDER, []),
    trade: () => trade({ ...ORDER, wallet: ALICE, minimumOut: 1n }, []),
    opens: () => opens(ALICE),
    read: () => read(CALL),
  }
  return { asks, failed }
}

test('answers that are what they should be are handed on', () => {
  const { asks, failed } = asked(venueOf({}))
  expect(asks.accounts()).toEqual([ALICE])
  expect(asks.quote()).toEqual(QUOTE)
  expect(asks.trade()).toEqual(STEP)
  expect(asks.opens()).toEqual([OPENED, OPENED])
  expect(asks.read()).toEqual(TRADE)
  expect(asked(venueOf({ read: undefined })).asks.read()).toBeUndefined()
  const none = { ok: false, refusal: 'no_market' }
  expect(asked(venueOf({ quote: none })).asks.quote()).toEqual(none)
  expect(failed).toEqual([])
})

const TRADES: readonly object[] = [
  { amountIn: 1 },
  { amountIn: -1n },
  { amountIn: U64_MAX + 1n },
  { minimumOut: undefined },
  { minimumOut: -1n },
  { side: 'swap' },
  { wallet: 'alice' },
  { wallet: undefined },
  { mint: `${MINT}1` },
  { counterparty: null },
]
const QUOTES: readonly object[] = [
  { ok: 1 },
  { ok: false },
  { ok: false, refusal: 'price_moved' },
  { amountOut: -1n },
  { amountOut: 5 },
  { amountOut: U64_MAX + 1n },
  { priceImpactBasisPoints: undefined },
  { priceImpactBasisPoints: 1.5 },
  { priceImpactBasisPoints: -1n },
  { route: null },
  { route: { a: 1 } },
  { route: { a: 'b'.repeat(128) } },
  { route: Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`${at}`, ''])) },
]
const STEPS: readonly object[] = [
  { program: 'x' },
  { accounts: ALICE },
  { accounts: [{ address: ALICE }] },
  { accounts: [{ address: 'x', isWritable: true }] },
  { accounts: Array.from({ length: 65 }, () => STEP.accounts[0]) },
  { data: [1] },
  { data: new Uint8Array(2) },
]
const RUBBISH: readonly (readonly [keyof ReturnType<typeof asked>['asks'], unknown])[] = [
  ...[null, [], 'trade', 0n, Promise.resolve(TRADE)].map((told) => ['read', told] as const),
  ...TRADES.map((change) => ['read', { ...TRADE, ...change }] as const),
  ...[undefined, null, Promise.resolve(QUOTE)].map((told) => ['quote', told] as const),
  ...QUOTES.map((change) => ['quote', { ...QUOTE, ...change }] as const),
  ...[undefined, null].map((told) => ['trade', told] as const),
  ...STEPS.map((change) => ['trade', { ...STEP, ...change }] as const),
  ...[undefined, ALICE, ['x'], [undefined], Array.from({ length: 17 }, () => ALICE)].map(
    (told) => ['accounts', told] as const,
  ),
  ...[undefined, {}, [OPENED, OPENED, OPENED], [ALICE]].map((told) => ['opens', told] as const),
  ...[1_025, -1, 1.5, NaN, 1n, undefined].map(
    (bytes) => ['opens', [{ ...OPENED, bytes }]] as const,
  ),
  ['opens', [{ ...OPENED, address: 'x' }]],
]

describe('a module is not carried', () => {
  test.each(RUBBISH)('where its %s is rubbish: #%#', (name, told) => {
    const { asks, failed } = asked(venueOf({ [name]: told }))
    expect(asks[name]).toThrow(NotCarried)
    expect(failed).toEqual([name])
  })

  test.each(['accounts', 'quote', 'trade', 'opens', 'read'] as const)(
    'where its %s throws, now or later',
    async (name) => {
      const broken = () => {
        throw new TypeError('of somebody else')
      }
      const late = async () => broken()
      for (const tell of [broken, late]) {
        const { asks } = asked(Object.assign(venueOf({}), { [name]: tell }))
        expect(asks[name]).toThrow(NotCarried)
        // A rejection that nobody takes would end the process by now.
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  )
})

test.each([0, -1, 1.5, 1_025, '8', undefined])('a venue of %j bytes is none', (dataBytes) => {
  expect(() => guarded(venueOf({ dataBytes }), () => undefined)).toThrow(RangeError)
})

test('a venue without one of its functions is none', () => {
  const half = Object.assign(venueOf({}), { opens: undefined })
  expect(() => guarded(half, () => undefined)).toThrow('opens')
})

describe('a module that fails', () => {
  const network = testNetwork([], { markets: [] })
  const opened = (told: Readonly<Record<string, unknown>>) => {
    const lines: string[] = []
    const module: VenueModule = {
      api: 1,
      name: 'curve',
      networks: [network.network],
      program: BOB,
      open: () => venueOf(told),
    }
    const log = openLog('warn', { write: (line) => lines.push(line) })
    const [found] = openModules(network, [module], log)
    if (found === undefined) throw new Error('not opened')
    return { venue: found.venue, lines }
  }

  test('is told once for each of its functions', () => {
    const { venue, lines } = opened({ read: null, opens: null })
    for (const _ of [1, 2, 3]) {
      expect(() => venue.read(CALL)).toThrow(NotCarried)
      expect(() => venue.opens(ALICE)).toThrow(NotCarried)
    }
    const said = { level: 'warn', network: network.network, part: 'curve' }
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { ...said, operation: 'read' },
      { ...said, operation: 'opens' },
    ])
  })

  test('leaves the quotes of others alone, and is no word about the market', async () => {
    const { venue } = opened({ quote: null })
    const balances = () => ({ native: 1n, asset: 1n, height: 1n, blockHash: HASH })
    const other = scriptedVenue({ rate: 2n, balances })
    const broken = { ...other, quote: async () => Promise.reject(failure()) }
    const failure = () => {
      try {
        return venue.quote(ORDER, [])
      } catch (error) {
        return error
      }
    }
    const order = {
      side: 'buy',
      token: { mint: MINT, decimals: 6, symbol: null },
      amountIn: 3n,
    } as const
    const [best, ...others] = await bestQuotes({ venues: [broken, other], config: network }, order)
    expect([best.quote.amountOut, others]).toEqual([6n, []])
    await expect(bestQuotes({ venues: [broken], config: network }, order)).rejects.toThrow(
      NodeFailure,
    )
  })
})
