import { NodeFailure } from '../../chain.ts'
import type { Transport } from '../../json-rpc/transport.ts'
import { blockHashRead } from '../blocks.ts'
import type { Lifetime } from '../blocks.ts'

/**
 * The hash of the block that balances are of, without which they count as no news: that of the newest blockhash where it is of the same
 * slot, else asked for. Null when the node cannot say.
 */
export async function slotHash(
  transport: Transport,
  slot: bigint,
  newest: Lifetime,
): Promise<string | null> {
  if (newest.slot === slot) return newest.blockhash
  try {
    return await transport.read(blockHashRead(slot))
  } catch (error) {
    if (error instanceof NodeFailure) return null
    throw error
  }
}
