import { limits } from '../../../kernel/limits.ts'
import type { Address } from '../../chain.ts'
import type { Transport } from '../../json-rpc/transport.ts'
import { askApartAt, demandReached } from './ask-apart.ts'
import type { MadePool, PoolKind } from './pool-logs.ts'
import { addressOf, wordsOf } from './words.ts'

/** A pool of a factory, one of whose tokens is the wrapped native currency or a hub. */
export interface QuotePool {
  readonly mint: Address
  /** What the token is traded against; null: the native currency. */
  readonly hub: Address | null
  readonly isQuoteFirst: boolean
}

/** What contracts that write a pool's logs really are; anybody can write the like. */
export interface KnownPools {
  /** The factory says that it made this one. */
  note(made: MadePool): QuotePool | undefined
  /**
   * Asks about those that nobody knows yet, which have written logs up to a height: themselves, then the factory. Throws NodeFailure when no node
   * answered properly, and when one says that there is none which stands below that height.
   */
  learn(pools: readonly Address[], height: bigint): Promise<void>
  get(pool: Address): QuotePool | undefined
}

export function openKnownPools(
  transport: Transport,
  {
    kind,
    factory,
    wrapped,
    hubs,
  }: { kind: PoolKind; factory: Address; wrapped: Address; hubs: readonly Address[] },
): KnownPools {
  /** Undefined: none of ours. A contract does not become one later, nor ceases to be one. */
  const known = new Map<Address, QuotePool | undefined>()
  const perCallMax = limits.poolsPerReadMax

  const keep = (pool: Address, what: QuotePool | undefined): void => {
    known.delete(pool)
    known.set(pool, what)
    for (const oldest of known.keys()) {
      if (known.size <= limits.supposedPoolsKeptMax) break
      known.delete(oldest)
    }
  }
  /** A pool of two hubs says nothing: what a hub costs is said by native currency alone. */
  const quotePool = ([first, second]: MadePool['tokens']): QuotePool | undefined => {
    if (first === wrapped) return { mint: second, hub: null, isQuoteFirst: true }
    if (second === wrapped) return { mint: first, hub: null, isQuoteFirst: false }
    const [isFirstHub, isSecondHub] = [hubs.includes(first), hubs.includes(second)]
    if (isFirstHub === isSecondHub) return undefined
    return isFirstHub
      ? { mint: second, hub: first, isQuoteFirst: true }
      : { mint: first, hub: second, isQuoteFirst: false }
  }

  return {
    note: ({ pool, tokens }) => {
      const what = quotePool(tokens)
      keep(pool, what)
      return what
    },
    get: (pool) => known.get(pool),
    learn: async (pools, height) => {
      const unknown = [...new Set(pools)].filter((pool) => !known.has(pool))
      if (unknown.length === 0) return
      const subjects = unknown.map((target) => kind.questions.map((data) => ({ target, data })))
      const isProper = (answers: readonly (Uint8Array | undefined)[]): boolean =>
        answers.every((answer) => wordsOf(answer, 1) !== undefined)
      const told = await askApartAt(transport, subjects, { perCallMax, isProper })
      const claims = unknown.flatMap((pool, index) => {
        const { answers = [], height: at } = told[index] ?? {}
        const given = answers.flatMap((each) => wordsOf(each, 1) ?? [])
        const [token0, token1] = [addressOf(given[0]), addressOf(given[1])]
        const isWhole = given.length === kind.questions.length
        const tokens = token0 && token1 && isWhole ? ([token0, token1] as const) : undefined
        const quote = tokens && quotePool(tokens)
        if (tokens === undefined) demandReached(at, height)
        if (tokens === undefined || quote === undefined) {
          keep(pool, undefined)
          return []
        }
        return [{ pool, quote, asked: { target: factory, data: kind.lookUp(tokens, given) } }]
      })
      // The factory is no stranger, so these may share.
      const made = await askApartAt(
        transport,
        claims.map(({ asked }) => [asked]),
        { perCallMax, isProper: () => true },
      )
      for (const [index, { pool, quote }] of claims.entries()) {
        const { answers = [], height: at } = made[index] ?? {}
        const real = addressOf(wordsOf(answers[0], 1)?.[0])
        if (real !== pool) demandReached(at, height)
        keep(pool, real === pool ? quote : undefined)
      }
    },
  }
}
