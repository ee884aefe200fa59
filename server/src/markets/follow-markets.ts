import type { Block, Head } from '../chains/chain.ts'
import type { MarketFact } from '../chains/market.ts'
import { nextBlocks } from '../chains/next-blocks.ts'
import { limits } from '../kernel/limits.ts'
import { knowTokens } from './know-tokens.ts'
import { MarketsMoved } from './market-deps.ts'
import type { MarketDeps } from './market-deps.ts'
import type { MarketCursor } from './market-follower-store.ts'
import { storeMarketRound } from './store-round.ts'
import { undoMarketReorg } from './undo-markets.ts'

/**
 * Reads the markets of the blocks after the cursor, at most a round's worth, and stores what they showed with the cursor behind it.
 * One node round trip for the blocks, unless the head is the next one, one for what is in them, one more only for tokens that nobody has seen before.
 */
export async function followMarkets(
  deps: MarketDeps,
  cursor: MarketCursor,
  head: Pick<Head, 'height' | 'finalizedHeight' | 'block'>,
): Promise<MarketCursor> {
  try {
    return await readOn(deps, cursor, head)
  } catch (error) {
    // Who told the head may be ahead of who was asked for what is in it: then what that one has is read.
    if (!(error instanceof MarketsMoved) || head.block === undefined) throw error
    const { height, finalizedHeight } = head
    return readOn(deps, cursor, { height, finalizedHeight })
  }
}

async function readOn(
  deps: MarketDeps,
  cursor: MarketCursor,
  head: Pick<Head, 'height' | 'finalizedHeight' | 'block'>,
): Promise<MarketCursor> {
  const { chain } = deps
  const linked = await nextBlocks(chain, cursor, head, limits.marketBlocksPerRoundMax)
  if (linked === undefined) return await undoMarketReorg(deps, cursor)
  if (linked.length === 0) return cursor
  const all = await chain.market.read(linked)
  if (all === undefined) throw new MarketsMoved('a block changed while its markets were read')
  const { blocks, facts } = firstOf(linked, all)
  const tokens = await knowTokens(deps, facts)
  return await storeMarketRound(deps, cursor, {
    ...{ blocks, tokens },
    // What is no token has no market, whatever a contract says.
    facts: facts.filter(({ mint }) => tokens.has(mint)),
    finalizedHeight: head.finalizedHeight,
    isLive: head.height - (blocks.at(-1)?.height ?? 0n) <= BigInt(limits.marketLiveBlocksMax),
  })
}

/** The first blocks, as many as do not show more than one step stores, and one at least. */
function firstOf(blocks: readonly Block[], facts: readonly MarketFact[]) {
  const beyond = facts[limits.marketFactsPerRoundMax]?.height
  const whole = beyond === undefined ? blocks : blocks.filter(({ height }) => height < beyond)
  const first = whole.length > 0 ? whole : blocks.slice(0, 1)
  const top = first.at(-1)?.height ?? 0n
  return { blocks: first, facts: facts.filter(({ height }) => height <= top) }
}
