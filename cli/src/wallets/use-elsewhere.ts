import { NodeFailure } from '@florin/server/chains/chain.ts'
import type { Chain } from '@florin/server/chains/chain.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import { CommandFailed } from '../usage-error.ts'

/** What a key has used up on one network, and that all of it is over. */
export interface UsedUp {
  readonly network: NetworkId
  readonly usedUp: bigint
}

/**
 * Makes sure that a key is at rest on each chain: none of its transactions waits for a block or for finality, since one that is
 * replaced or taken back would move the places under our own. Throws CommandFailed when it is not, or when a node does not say.
 */
export async function requireAtRest(
  chains: readonly Chain[],
  addressText: string,
): Promise<readonly UsedUp[]> {
  return await Promise.all(
    chains.map(async (chain) => {
      const { network } = chain.config
      const address = chain.parseAddress(addressText)
      if (address === undefined) throw new Error('an address of its own family is one')
      try {
        const [{ latest, finalized }, pooled = 0n] = await Promise.all([
          chain.lanePosition(address),
          chain.pooled?.(address),
        ])
        const open = latest - finalized + pooled
        if (open <= 0n) return { network, usedUp: latest }
        const count = open === 1n ? 'one transaction' : `${open} transactions`
        throw new CommandFailed(
          `${address} has ${count} on ${network} that ${open === 1n ? 'is' : 'are'} not final yet. Stop whatever else signs with this key, wait until that is final, and import it then.`,
        )
      } catch (error) {
        if (!(error instanceof NodeFailure)) throw error
        throw new CommandFailed(
          `no node of ${network} says what this key has done before, so it was not imported. Try again when one answers.`,
          { cause: error },
        )
      }
    }),
  )
}
