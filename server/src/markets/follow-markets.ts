import type { Block } from '../chains/chain.ts'
import type { MarketFact } from '../chains/market.ts'
import { limits } from '../kernel/limits.ts'
import { knowTokens } from './know-tokens.ts'
import { MarketsMoved } from './market-deps.ts'
import type { MarketDeps } from './market-deps.ts'
import type { MarketCursor } from './market-follower-store.ts'
import { storeMarketRound } from './store-round.ts'
import { undoMarketReorg } from './undo-markets.ts'

/**
 * Reads the markets of the blocks after the cursor once, at most a round's worth, and stores what they showed with the cursor behind it.
 * One node round trip for the blocks, one for what is in them, one more only for tokens that nobody has seen before.
 */
export async function followMarkets(
  deps: MarketDeps,
  cursor: MarketCursor,
  head: { readonly height: bigint; readonly finalizedHeight: bigint },
): Promise<MarketCursor> {
  const { chain } = deps
  const read = await chain.blocks(cursor.height, limits.marketBlocksPerRoundMax + 1)
  const [known, ...fresh] = read
  if (known?.hash !== cursor.blockHash) return await undoMarketReorg(deps, cursor)
  const linked = linkedTo(known, fresh)
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

/** The run of blocks that really build on each other. */
function linkedTo(known: Block, fresh: readonly Block[]): readonly Block[] {
  const run: Block[] = []
  for (const block of fresh) {
    if (block.parentHash !== (run.at(-1) ?? known).hash) break
    run.push(block)
  }
  return run
}

/** The first blocks, as many as do not show more than one step stores, and one at least. */
function firstOf(blocks: readonly Block[], facts: readonly MarketFact[]) {
  const beyond = facts[limits.marketFactsPerRoundMax]?.height
  const whole = beyond === undefined ? blocks : blocks.filter(({ height }) => height < beyond)
  const first = whole.length > 0 ? whole : blocks.slice(0, 1)
  const top = first.at(-1)?.height ?? 0n
  return { blocks: first, facts: facts.filter(({ height }) => height <= top) }
}
