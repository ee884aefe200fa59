import { NodeFailure } from '@florin/server/chains/chain.ts'
import type { Chain } from '@florin/server/chains/chain.ts'
import type { FollowerStanding } from '@florin/server/sender/halt-store.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import { CommandFailed } from '../usage-error.ts'

/** What a key has used up on one network, and that all of it is over. */
export interface UsedUp {
  readonly network: NetworkId
  readonly usedUp: bigint
}

/**
 * Makes sure that a key is at rest on each chain: none of its transactions waits for a block or for finality, since one that is
 * replaced or taken back would move the places under our own. Throws CommandFailed when it is not, or when a node does not say. One that calls less
 * final than was read of the network here (`read`, from before it was asked) says nothing: it does not know what the key has done since.
 */
export async function requireAtRest(
  chains: readonly Chain[],
  addressText: string,
  read: ReadonlyMap<string, Pick<FollowerStanding, 'finalizedHeight' | 'haltedReason'>> = new Map(),
): Promise<readonly UsedUp[]> {
  return await Promise.all(
    chains.map(async (chain) => {
      const { network } = chain.config
      const address = chain.parseAddress(addressText)
      if (address === undefined) throw new Error('an address of its own family is one')
      try {
        const [{ latest, finalized, finalizedHeight }, pooled = 0n] = await Promise.all([
          chain.lanePosition(address),
          chain.pooled?.(address),
        ])
        const standing = read.get(network)
        // On a halted network nobody knows which blocks are the chain's.
        const needed = standing?.haltedReason === null ? standing.finalizedHeight : 0n
        if (chain.pooled !== undefined && finalizedHeight < needed) {
          throw new NodeFailure('the node calls less final than was read of it here')
        }
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
