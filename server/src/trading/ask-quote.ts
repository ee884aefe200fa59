import type { Static } from 'typebox'
import { Refusal } from '@florin/wire/errors.ts'
import type { QuoteQuery } from '@florin/wire/trade.ts'
import type { Chain } from '../chains/chain.ts'
import type { ChainDirectory } from '../chains/directory.ts'
import type { Quote } from '../chains/venue.ts'
import { nativeOf } from '../kernel/network-config.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import { resolveMint } from '../markets/resolve-mint.ts'
import { amountOf } from './amount-in.ts'
import type { Wanted } from './amount-in.ts'
import { bestQuotes } from './best-quote.ts'
import { balanceNow } from './fit-swap.ts'
import { shortOf } from './refusals.ts'
import { minimumOut } from './slippage.ts'
import { slippageOf, soldOf, unitsOf, walletOf } from './terms.ts'
import { assetOf } from './tokens.ts'
import type { Tokens } from './tokens.ts'

/** The best quote of a network, and what a trade at it may at least give. */
export interface AskedQuote {
  readonly quote: Quote
  readonly minimumOut: bigint
  /** Percent, decimal text. */
  readonly slippage: string
  readonly config: NetworkConfig
}

/**
 * Asks every market of a network for its price. Of a sale the amount may be a part of what a wallet has at this moment, as an order's may be; nobody
 * else's balance is read. Refuses INVALID_MINT, INVALID_PARAMETERS, INSUFFICIENT_BALANCE where a part comes to nothing, and as `bestQuotes` does; throws NodeFailure.
 */
export async function askQuote(
  { directory, tokens }: { readonly directory: ChainDirectory; readonly tokens: Tokens },
  query: Static<typeof QuoteQuery>,
): Promise<AskedQuote> {
  const { side } = query
  const slippage = slippageOf(query)
  const { chain, mint } = resolveMint(directory, query)
  const { config } = chain
  const token = await tokens.of(chain, mint)
  const native = nativeOf(config)
  const asset = side === 'buy' ? native : assetOf(token)
  const wanted: Wanted =
    side === 'buy'
      ? { kind: 'units', units: unitsOf('amount', query.amount, config, native) }
      : soldOf(query, config, token)
  const walletAddress = walletIn(chain, query)
  const balance =
    wanted.kind === 'share'
      ? await balanceNow({ chain, walletAddress: walletAddress ?? whose(), asset })
      : 0n
  const amountIn = amountOf(wanted, balance)
  if (amountIn === 0n) throw shortOf(asset, 1n, balance)
  const [{ quote }] = await bestQuotes(chain, { side, token, amountIn })
  return { quote, minimumOut: minimumOut(quote.amountOut, slippage), slippage, config }
}

function walletIn(
  chain: Chain,
  said: Pick<Static<typeof QuoteQuery>, 'publicKey' | 'walletAddress'>,
) {
  if (said.publicKey === undefined && said.walletAddress === undefined) return undefined
  const { text, field } = walletOf(said)
  const address = chain.parseAddress(text)
  if (address !== undefined) return address
  const rule = `must be a valid ${chain.config.family} address`
  throw new Refusal('INVALID_PARAMETERS', { details: { [field]: rule } })
}

function whose(): never {
  const rule = 'is required where amount is a part of what a wallet has'
  throw new Refusal('INVALID_PARAMETERS', { details: { publicKey: rule } })
}
