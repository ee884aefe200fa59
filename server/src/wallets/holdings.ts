import type { NetworkId } from '@florin/wire/network.ts'
import { NodeFailure } from '../chains/chain.ts'
import type { Address, Chain } from '../chains/chain.ts'
import type { ChainDirectory } from '../chains/directory.ts'
import { readableBalances } from '../chains/readable-balances.ts'
import type { Wallet } from '../custody/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import { openDeadline } from '../kernel/deadline.ts'
import type { Deadline } from '../kernel/deadline.ts'
import { limits } from '../kernel/limits.ts'
import type { readBalances } from '../ledger/store.ts'

/** What a wallet has of one asset on one network, base units. */
export interface Holding {
  readonly network: NetworkId
  readonly asset: string
  readonly symbol: string
  readonly decimals: number
  /** The chain's word at `height`, with what is frozen for now. */
  readonly amount: bigint
  /** Promised to payments that are not final yet. */
  readonly held: bigint
  /** What the next payment may use. */
  readonly available: bigint
  readonly height: bigint
}

/** An asset of which no node tells what the wallet has: that is not nothing. */
export type UnreadAsset = Pick<Holding, 'network' | 'asset' | 'symbol' | 'decimals'>

/** What a wallet has, as far as the chains tell it. */
export interface Holdings {
  readonly held: readonly Holding[]
  readonly unread: readonly UnreadAsset[]
}

/** What the books say of each asset. */
export type Books = Awaited<ReturnType<typeof readBalances>>

/**
 * Every enabled asset of every enabled network of the wallet's family, asked from the chains at the same time. A token whose contract fails, or a
 * network whose nodes do not answer, hides no other: it is told as unread, never shown as zero. So is what no node has told within limits.balancesSeconds.
 */
export async function holdingsOf(
  { directory, clock }: { readonly directory: ChainDirectory; readonly clock: Clock },
  wallet: Wallet,
  books: Books,
): Promise<Holdings> {
  const chains = [...directory.all.values()].filter(({ config }) => config.family === wallet.family)
  const deadline = openDeadline(clock, limits.balancesSeconds)
  const found = await Promise.all(
    chains.map((chain) => onChain(inTime(chain, deadline), wallet, books)),
  ).finally(() => deadline.end())
  return {
    held: found.flatMap(({ held }) => held),
    unread: found.flatMap(({ unread }) => unread),
  }
}

/** What a node has not told by then is not told. */
function inTime(chain: Chain, deadline: Deadline): Chain {
  return {
    ...chain,
    balances: async (address, assets) => {
      const told = await deadline.within(() => chain.balances(address, assets))
      if (told === undefined) throw new NodeFailure('no node told the balances in time')
      return told
    },
  }
}

async function onChain(chain: Chain, wallet: Wallet, books: Books): Promise<Holdings> {
  const { network, assets } = chain.config
  const named = assets.map(({ asset, symbol, decimals }) => ({ network, asset, symbol, decimals }))
  try {
    const { height, amounts, spendable } = await readableBalances(
      chain,
      addressOf(chain, wallet),
      assets,
    )
    const held = named.flatMap((each, index) => {
      const [amount, free] = [amounts[index], spendable[index]]
      if (amount === undefined || free === undefined) return []
      return [{ ...each, amount, ...promised(each, free), height }]
    })
    return { held, unread: named.filter((_, index) => amounts[index] === undefined) }
  } catch (failure) {
    if (!(failure instanceof NodeFailure)) throw failure
    return { held: [], unread: named }
  }

  function promised({ asset }: UnreadAsset, free: bigint) {
    const book = books.find((entry) => entry.network === network && entry.asset === asset)
    const held = book?.held ?? 0n
    return { held, available: availableOf(free, held, book?.available ?? 0n) }
  }
}

/**
 * The books alone miss what arrived since the last payment; the chain less what is held counts a payment that is
 * mined but not final twice. Each of the two is too low only, so the larger holds, and never more than the chain has. Nothing where a network took more
 * than was held, and what is left is promised.
 */
export function availableOf(amount: bigint, held: bigint, inBooks: bigint): bigint {
  const byChain = amount - held
  const larger = byChain > inBooks ? byChain : inBooks
  const bounded = larger < amount ? larger : amount
  return bounded > 0n ? bounded : 0n
}

function addressOf(chain: Chain, wallet: Wallet): Address {
  const address = chain.parseAddress(wallet.address)
  if (address === undefined) throw new Error('a wallet has an address of its own family')
  return address
}
