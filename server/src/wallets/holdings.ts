import type { NetworkId } from '@florin/wire/network.ts'
import type { Address, Chain } from '../chains/chain.ts'
import type { ChainDirectory } from '../chains/directory.ts'
import type { Wallet } from '../custody/wallet.ts'
import type { readBalances } from '../ledger/store.ts'

/** What a wallet has of one asset on one network, base units. */
export interface Holding {
  readonly network: NetworkId
  readonly asset: string
  readonly symbol: string
  readonly decimals: number
  /** The chain's word at `height`. */
  readonly amount: bigint
  /** Promised to payments that are not final yet. */
  readonly held: bigint
  /** What the next payment may use. */
  readonly available: bigint
  readonly height: bigint
}

/** What the books say of each asset. */
export type Books = Awaited<ReturnType<typeof readBalances>>

/**
 * Every enabled asset of every enabled network of the wallet's family, asked from the chains at the same time.
 * Throws NodeFailure when one of them does not answer: what is not known is not shown as zero.
 */
export async function holdingsOf(
  directory: ChainDirectory,
  wallet: Wallet,
  books: Books,
): Promise<readonly Holding[]> {
  const chains = [...directory.all.values()].filter(({ config }) => config.family === wallet.family)
  const found = await Promise.all(chains.map((chain) => onChain(chain, wallet, books)))
  return found.flat()
}

async function onChain(chain: Chain, wallet: Wallet, books: Books): Promise<readonly Holding[]> {
  const { network, assets } = chain.config
  const { height, amounts } = await chain.balances(addressOf(chain, wallet), assets)
  return assets.map(({ asset, symbol, decimals }, index) => {
    const amount = amounts[index]
    if (amount === undefined) throw new Error('a chain answers for every asset it was asked about')
    const book = books.find((entry) => entry.network === network && entry.asset === asset)
    const held = book?.held ?? 0n
    const available = availableOf(amount, held, book?.available ?? 0n)
    return { network, asset, symbol, decimals, amount, held, available, height }
  })
}

/**
 * The books alone miss what arrived since the last payment; the chain less what is held counts a payment that is
 * mined but not final twice. Each of the two is too low only, so the larger holds, and never more than the chain has.
 */
export function availableOf(amount: bigint, held: bigint, inBooks: bigint): bigint {
  const byChain = amount - held
  const larger = byChain > inBooks ? byChain : inBooks
  return larger < amount ? larger : amount
}

function addressOf(chain: Chain, wallet: Wallet): Address {
  const address = chain.parseAddress(wallet.address)
  if (address === undefined) throw new Error('a wallet has an address of its own family')
  return address
}
