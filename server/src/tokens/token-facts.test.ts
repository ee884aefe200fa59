import { describe, expect, test } from 'vitest'
import { NodeFailure } from '../chains/chain.ts'
import type { Address } from '../chains/chain.ts'
import { limits } from '../kernel/limits.ts'
import { openTestMarketChain, TEST_MINTS } from '../markets/test-market-chain.ts'
import { handClock } from '../metrics/test-clock.ts'
import { openTokenBook } from './token-facts.ts'

const [MINT, OTHER] = TEST_MINTS

/** A chain that counts what it is asked, and a book over it. */
function open() {
  const { chain } = openTestMarketChain({ noTokens: new Set([OTHER]) })
  const clock = handClock()
  const asked: Address[] = []
  const state = { isDown: false }
  const watched = {
    ...chain,
    tokens: {
      ...chain.tokens,
      facts: async (mints: readonly Address[]) => {
        asked.push(...mints)
        if (state.isDown) throw new NodeFailure('no node')
        return await chain.tokens.facts(mints)
      },
      holders: async () => {
        if (state.isDown) throw new NodeFailure('no node')
        return 5n
      },
    },
  }
  return { clock, asked, state, chain: watched, book: openTokenBook({ clock }) }
}

describe('what is remembered of tokens', () => {
  test('is asked once for all who want to know, and again when it is too old', async () => {
    const { clock, asked, chain, book } = open()
    const both = await Promise.all([book.facts(chain, MINT), book.facts(chain, MINT)])
    expect(both[0]).toMatchObject({ mint: MINT, decimals: 6 })
    expect(both[1]).toBe(both[0])
    await clock.pass(limits.tokenFactsSeconds * 1000 - 1)
    await book.facts(chain, MINT)
    expect(asked).toHaveLength(1)
    await clock.pass(1)
    await book.facts(chain, MINT)
    expect(asked).toHaveLength(2)
  })

  test('that there is no token is forgotten sooner', async () => {
    const { clock, asked, chain, book } = open()
    expect(await book.facts(chain, OTHER)).toBeUndefined()
    await clock.pass(limits.noTokenSeconds * 1000)
    expect(await book.facts(chain, OTHER)).toBeUndefined()
    expect(asked).toHaveLength(2)
  })

  test('a look-up that failed is no answer: the next one asks again', async () => {
    const { asked, chain, book, state } = open()
    state.isDown = true
    await expect(book.facts(chain, MINT)).rejects.toThrow(NodeFailure)
    expect(await book.holders(chain, MINT)).toBeNull()
    state.isDown = false
    expect(await book.facts(chain, MINT)).toMatchObject({ mint: MINT })
    expect(await book.holders(chain, MINT)).toBe(5n)
    expect(asked).toHaveLength(2)
  })

  test('is at hand without asking, however old', async () => {
    const { clock, asked, chain, book } = open()
    expect(book.remembered(chain, MINT)).toBeUndefined()
    await book.facts(chain, MINT)
    await clock.pass(3_600_000)
    expect(book.remembered(chain, MINT)).toMatchObject({ mint: MINT })
    expect(asked).toHaveLength(1)
  })

  test('is not forgotten because nobody could be asked again', async () => {
    const { clock, chain, book, state } = open()
    await book.facts(chain, MINT)
    await clock.pass(limits.tokenFactsSeconds * 1000)
    state.isDown = true
    await expect(book.facts(chain, MINT)).rejects.toThrow(NodeFailure)
    expect(book.remembered(chain, MINT)).toMatchObject({ mint: MINT })
    await expect(book.facts(chain, MINT)).rejects.toThrow(NodeFailure)
    state.isDown = false
    expect(await book.facts(chain, MINT)).toMatchObject({ mint: MINT })
  })
})
