import type { MarketConfig } from '../../../kernel/network-config.ts'
import type { Address } from '../../chain.ts'
import { requireAddress } from '../account.ts'
import { APPROVE } from './allowance.ts'
import { readSwapV2 } from './router-v2.ts'
import type { RoutedSwap } from './router-v2.ts'
import { readSwapV3 } from './router-v3.ts'
import { addressOf, readCall, uintOf } from './words.ts'

/** A call whose meaning is known because a configured router is in it. */
export interface ExplainedCall {
  readonly kind: 'swap' | 'allowance'
  /** Plain words. */
  readonly words: string
}

/** What a call of `to` means, without any commitment behind its data; undefined when nothing is known of it. */
export type Explain = (to: Address, body: Uint8Array) => ExplainedCall | undefined

const MILLISECONDS = 1_000n
/** The last moment that a date can name. */
const DATE_MILLISECONDS_MAX = 8_640_000_000_000_000n

/** Explains calls of the configured routers, and allowances for them. */
export function openExplain(markets: readonly MarketConfig[]): Explain {
  const routers = new Map(
    markets.flatMap((market): readonly (readonly [Address, RouterOf])[] => {
      switch (market.venue) {
        case 'uniswap-v2':
        case 'uniswap-v3': {
          const wrapped = requireAddress(market.wrappedNative)
          const read = market.venue === 'uniswap-v2' ? readSwapV2 : readSwapV3
          return [[requireAddress(market.router), { venue: market.venue, wrapped, read }]]
        }
        case 'rfq':
        case 'jupiter':
        case 'module':
          return []
        default:
          return market satisfies never
      }
    }),
  )
  return (to, body) => {
    const router = routers.get(to)
    const swap = router?.read(body)
    if (router !== undefined && swap !== undefined) {
      const words = swapWords(swap, router)
      return words === undefined ? undefined : { kind: 'swap', words: `${words} (${router.venue})` }
    }
    const call = readCall(body)
    const spender = addressOf(call?.words[0])
    const spending = spender && routers.get(spender)
    if (call?.selector !== APPROVE || call.words.length !== 2 || spending === undefined) {
      return undefined
    }
    const amount = uintOf(call.words[1])
    const words = `lets ${spender}, the router of ${spending.venue}, take ${amount} base units of ${to}`
    return { kind: 'allowance', words }
  }
}

interface RouterOf {
  readonly venue: string
  readonly wrapped: Address
  read(body: Uint8Array): RoutedSwap | undefined
}

function swapWords(
  { amountIn, minimumOut, path, recipient, deadlineSeconds }: RoutedSwap,
  { wrapped }: RouterOf,
): string | undefined {
  const [tokenIn, second, third] = path
  const tokenOut = third ?? second
  const through = third === undefined ? '' : ` through ${second}`
  const milliseconds = deadlineSeconds * MILLISECONDS
  const until =
    milliseconds > DATE_MILLISECONDS_MAX
      ? 'at any time'
      : `until ${new Date(Number(milliseconds)).toISOString()}`
  if (tokenIn === wrapped) {
    return `buys at least ${minimumOut} base units of ${tokenOut} for ${recipient} with what it sends${through}, ${until}`
  }
  if (tokenOut !== wrapped || amountIn === null) return undefined
  return `sells ${amountIn} base units of ${tokenIn} for at least ${minimumOut} wei to ${recipient}${through}, ${until}`
}
