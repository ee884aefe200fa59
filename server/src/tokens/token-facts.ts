import { NodeFailure } from '../chains/chain.ts'
import type { Address, Chain } from '../chains/chain.ts'
import type { TokenFacts } from '../chains/token-reader.ts'
import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'

/** What chains say of tokens, each asked at most once per lifetime however many want to know. */
export interface TokenBook {
  /** At most limits.tokenFactsSeconds old; undefined: no token. @throws {NodeFailure} */
  facts(chain: Chain, mint: Address): Promise<TokenFacts | undefined>
  /** At most limits.tokenHoldersSeconds old; null where the chain cannot say, or no node answered. */
  holders(chain: Chain, mint: Address): Promise<bigint | null>
  /** What is remembered of a token however old, without asking anybody. */
  remembered(chain: Chain, mint: Address): TokenFacts | undefined
}

interface Entry<T> {
  readonly asked: Promise<T>
  readonly atMilliseconds: number
  /** Undefined until it was answered. */
  value: T | undefined
  lifetimeSeconds: number
}

export function openTokenBook({ clock }: { readonly clock: Clock }): TokenBook {
  const facts = openShelf<TokenFacts | undefined>(clock, (found) =>
    found === undefined ? limits.noTokenSeconds : limits.tokenFactsSeconds,
  )
  const holders = openShelf<bigint | null>(clock, () => limits.tokenHoldersSeconds)
  const nameOf = ({ config }: Chain, mint: Address) => `${config.network} ${mint}`
  return {
    facts: async (chain, mint) =>
      await facts.read(nameOf(chain, mint), async () => {
        const [found] = (await chain.tokens?.facts([mint])) ?? []
        return found
      }),
    holders: async (chain, mint) => {
      try {
        return await holders.read(
          nameOf(chain, mint),
          async () => (await chain.tokens?.holders(mint)) ?? null,
        )
      } catch (error) {
        if (error instanceof NodeFailure) return null
        throw error
      }
    },
    remembered: (chain, mint) => facts.peek(nameOf(chain, mint)),
  }
}

/** Keeps limits.tokensKeptMax answers, the newest. A question that failed is asked again; what was known before stays known, too old as it is. */
function openShelf<T>(clock: Clock, lifetimeOf: (value: T) => number) {
  const kept = new Map<string, Entry<T>>()
  return {
    read: async (name: string, ask: () => Promise<T>): Promise<T> => {
      const now = clock.nowMilliseconds()
      const known = kept.get(name)
      const age = known === undefined ? -1 : now - known.atMilliseconds
      if (known !== undefined && age >= 0 && age < known.lifetimeSeconds * 1000) {
        return await known.asked
      }
      const entry: Entry<T> = {
        asked: ask(),
        atMilliseconds: now,
        value: known?.value,
        lifetimeSeconds: limits.noTokenSeconds,
      }
      kept.delete(name)
      kept.set(name, entry)
      const [oldest] = kept.keys()
      if (kept.size > limits.tokensKeptMax && oldest !== undefined) kept.delete(oldest)
      try {
        const value = await entry.asked
        entry.value = value
        entry.lifetimeSeconds = lifetimeOf(value)
        return value
      } catch (error) {
        if (kept.get(name) === entry) {
          if (known?.value === undefined) kept.delete(name)
          else kept.set(name, { ...known, lifetimeSeconds: 0 })
        }
        throw error
      }
    },
    peek: (name: string): T | undefined => kept.get(name)?.value,
  }
}
