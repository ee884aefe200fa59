import type { AssetProfile } from '../kernel/network-config.ts'
import { NodeFailure } from './chain.ts'
import type { Address, Chain } from './chain.ts'

/** What an address has, as far as the chain tells it. */
export interface ReadableBalances {
  /** Of the lowest block that one of them was read at. */
  readonly height: bigint
  /** What is its own, frozen or not, base units, in the order of the assets asked for. Undefined: of this one no node tells it. */
  readonly amounts: readonly (bigint | undefined)[]
  /** The same without what is frozen. */
  readonly spendable: readonly (bigint | undefined)[]
}

/**
 * The balances of an address, all at one block; where a node tells nothing of them, each asset by itself, so that a token whose contract
 * fails or is gone hides no other. Throws NodeFailure where the native one, or all of them, cannot be read: that is the node's doing.
 */
export async function readableBalances(
  chain: Pick<Chain, 'balances'>,
  address: Address,
  assets: readonly AssetProfile[],
): Promise<ReadableBalances> {
  try {
    const { amounts, owned = amounts, height } = await chain.balances(address, assets)
    return { amounts: owned, spendable: amounts, height }
  } catch (error) {
    if (!(error instanceof NodeFailure) || assets.length < 2) throw error
    const each = await Promise.all(assets.map((asset) => readAlone(chain, address, asset)))
    const heights = each.flatMap((read) => (read === undefined ? [] : [read.height]))
    const isNativeHidden = assets.some(
      ({ asset }, index) => asset === 'native' && each[index] === undefined,
    )
    const [first] = heights
    if (first === undefined || isNativeHidden) throw error
    const height = heights.reduce((least, one) => (one < least ? one : least), first)
    return {
      amounts: each.map((read) => read?.amount),
      spendable: each.map((read) => read?.spendable),
      height,
    }
  }
}

async function readAlone(chain: Pick<Chain, 'balances'>, address: Address, asset: AssetProfile) {
  try {
    const { amounts, owned = amounts, height } = await chain.balances(address, [asset])
    const [amount] = owned
    const [spendable] = amounts
    return amount === undefined ? undefined : { amount, spendable, height }
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error
    return undefined
  }
}
