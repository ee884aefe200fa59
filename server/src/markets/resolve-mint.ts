import { Refusal } from '@florin/wire/errors.ts'
import type { Address, Chain } from '../chains/chain.ts'
import type { ChainDirectory } from '../chains/directory.ts'

/**
 * The chain and the token that a request means: the named network, else the first configured one of the address's family.
 * @throws {Refusal} UNSUPPORTED_NETWORK; INVALID_MINT for what is no address there
 */
export function resolveMint(
  directory: Pick<ChainDirectory, 'all' | 'named'>,
  { mint, network }: { readonly mint: string; readonly network?: string | undefined },
): { readonly chain: Chain; readonly mint: Address } {
  const chains = network === undefined ? [...directory.all.values()] : [directory.named(network)]
  for (const chain of chains) {
    const address = chain.parseAddress(mint)
    if (address !== undefined) return { chain, mint: address }
  }
  throw invalidMint('must be the address of a token')
}

export function invalidMint(rule: string): Refusal {
  return new Refusal('INVALID_MINT', { details: { mint: rule } })
}
