import { Refusal } from '@florin/wire/errors.ts'
import { NodeFailure } from '../chains/chain.ts'
import type { Chain } from '../chains/chain.ts'
import type { Quote, QuoteOrder, QuoteOutcome, Venue } from '../chains/venue.ts'

/** A quote with the venue that gave it. */
export interface Best {
  readonly venue: Venue
  readonly quote: Quote
}

/**
 * All quotes of a network's venues, at least one, the one that gives most first; of equals the one that is configured first. A venue that
 * cannot be asked is left out; where none of the others trades the token, nobody can say and NodeFailure is thrown. Refuses
 * INSUFFICIENT_LIQUIDITY where no market gives anything for that much, UNSUPPORTED_NETWORK where nothing is traded.
 */
export async function bestQuotes(
  { venues = [], config }: Pick<Chain, 'venues' | 'config'>,
  order: QuoteOrder,
): Promise<readonly [Best, ...Best[]]> {
  if (venues.length === 0) {
    throw new Refusal('UNSUPPORTED_NETWORK', {
      details: { network: `nothing is traded on ${config.network}` },
    })
  }
  const answers = await Promise.all(venues.map((venue) => ask(venue, order)))
  const [best, ...others] = answers
    .flatMap(({ venue, outcome }) =>
      outcome?.ok === true
        ? [outcome.quote, ...(outcome.others ?? [])].map((quote) => ({ venue, quote }))
        : [],
    )
    .toSorted(({ quote: a }, { quote: b }) =>
      a.amountOut < b.amountOut ? 1 : a.amountOut > b.amountOut ? -1 : 0,
    )
  if (best !== undefined) return [best, ...others]
  if (answers.some(({ outcome }) => outcome === undefined)) {
    throw new NodeFailure('a market could not be asked')
  }
  throw new Refusal('INSUFFICIENT_LIQUIDITY', {
    details: {
      mint: answers.some(({ outcome }) => outcome?.ok === false && !isUnknown(outcome))
        ? 'no market gives anything for this amount'
        : 'no market trades it',
    },
  })
}

/** A failed look is no word about the market: undefined. */
async function ask(
  venue: Venue,
  order: QuoteOrder,
): Promise<{ venue: Venue; outcome: QuoteOutcome | undefined }> {
  try {
    return { venue, outcome: await venue.quote(order) }
  } catch (error) {
    if (error instanceof NodeFailure) return { venue, outcome: undefined }
    throw error
  }
}

function isUnknown(outcome: Extract<QuoteOutcome, { ok: false }>): boolean {
  return outcome.refusal === 'no_market'
}
