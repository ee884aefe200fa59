import { formatAmount } from '@florin/wire/amount.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { SwapDraftOutcome } from '../chains/venue.ts'
import type { AssetProfile } from '../kernel/network-config.ts'

type Refused = Extract<SwapDraftOutcome, { ok: false }>

/** A wallet that does not have what is to go in. */
export function shortOf(asset: AssetProfile, required: bigint, available: bigint): Refusal {
  return new Refusal('INSUFFICIENT_BALANCE', {
    details: {
      required: formatAmount(required, asset.decimals),
      available: formatAmount(available, asset.decimals),
      asset: asset.symbol,
    },
  })
}

/** What a venue's "no" to a swap means for whoever asked. */
export function swapRefusal(
  refused: Refused,
  { asset, amountIn, available }: { asset: AssetProfile; amountIn: bigint; available: bigint },
): Refusal {
  switch (refused.refusal) {
    case 'price_moved':
    case 'less_than_quoted':
      return new Refusal('SLIPPAGE_EXCEEDED', {
        details: { slippage: 'the market gives less than the least that this trade accepts' },
      })
    case 'no_market':
      return new Refusal('INSUFFICIENT_LIQUIDITY', {
        details: { mint: 'the market that gave a quote does not trade it any more' },
      })
    case 'allowance_left':
      return new Refusal('INSUFFICIENT_LIQUIDITY', {
        details: {
          mint: 'the token takes no new allowance while another one is left: sell exactly that much, or take it back',
          left: formatAmount(refused.left, asset.decimals),
        },
      })
    case 'insufficient_funds':
      return shortOf(asset, amountIn, available)
    default:
      return refused satisfies never
  }
}
