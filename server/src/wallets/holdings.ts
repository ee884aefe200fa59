import type { NetworkId } from '@florin/wire/network.ts'
import { NodeFailure } from '../chains/chain.ts'
import type { Address, Chain } from '../chains/chain.ts'
import type { ChainDirectory } from '../chains/directory.ts'
import { readableBalances } from '../chains/readable-balances.ts'
import type { Wallet } from '../custody/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import { openDeadline } from '../kernel/deadline.ts'
import type { Deadline } from '../kernel/deadline.ts'
import { nativeUnitsPerUnit } from '../kernel/currency-tokens.ts'
import { limits } from '../kernel/limits.ts'
import type { AssetProfile } from '../kernel/network-config.ts'
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
  /** The same money as tokens of the network tell it: once in the wallet, under several names. */
  readonly alsoAs: readonly OtherName[]
}

/** A token that is the network's native currency, with what of that its own decimals can say. */
export type OtherName = Pick<
  Holding,
  'asset' | 'symbol' | 'decimals' | 'amount' | 'held' | 'available'
>

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
  const { network } = chain.config
  // Those that are the native currency are told by it, of one balance and one book.
  const assets = chain.config.assets.filter(({ isCurrency }) => isCurrency !== true)
  const names = chain.config.assets.filter(({ isCurrency }) => isCurrency === true)
  const asUnread = ({ asset, symbol, decimals }: AssetProfile): UnreadAsset => ({
    ...{ network, asset, symbol, decimals },
  })
  const named = assets.map(asUnread)
  try {
    const { height, amounts, spendable } = await readableBalances(
      chain,
      addressOf(chain, wallet),
      assets,
    )
    const held = named.flatMap((each, index) => {
      const [amount, free] = [amounts[index], spendable[index]]
      if (amount === undefined || free === undefined) return []
      const told = { amount, ...promised(each, free) }
      const alsoAs = each.asset === 'native' ? names.map((name) => underName(name, told)) : []
      return [{ ...each, ...told, height, alsoAs }]
    })
    return { held, unread: named.filter((_, index) => amounts[index] === undefined) }
  } catch (failure) {
    if (!(failure instanceof NodeFailure)) throw failure
    return { held: [], unread: chain.config.assets.map(asUnread) }
  }

  function promised({ asset }: UnreadAsset, free: bigint) {
    const book = books.find((entry) => entry.network === network && entry.asset === asset)
    const held = book?.held ?? 0n
    return { held, available: availableOf(free, held, book?.available ?? 0n) }
  }
}

/** Down to the token's own unit, but what is held up to it: nobody is told of more than can be spent. */
function underName(
  { asset, symbol, decimals }: AssetProfile,
  told: Pick<Holding, 'amount' | 'held' | 'available'>,
): OtherName {
  const unit = nativeUnitsPerUnit(decimals)
  const { amount, held, available } = told
  return {
    ...{ asset, symbol, decimals },
    amount: amount / unit,
    held: (held + unit - 1n) / unit,
    available: available / unit,
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
