import type { NetworkConfig } from '../../kernel/network-config.ts'
import type { Identity } from '../json-rpc/check-node.ts'
import { textFrom } from './answer.ts'

const GENESIS_HASH = { method: 'getGenesisHash', params: [] }
/** How much of the genesis hash a CAIP-2 id keeps. Source: CAIP-30. */
const REFERENCE_CHARACTERS = 32

/** A node is known by its genesis hash, of which the network's id is the beginning. */
export function identityOf({ network }: Pick<NetworkConfig, 'network'>): Identity {
  const expected = network.slice('solana:'.length)
  return {
    calls: [GENESIS_HASH],
    judge: ([genesis]) => {
      const answered = textFrom(genesis, 'genesis hash').slice(0, REFERENCE_CHARACTERS)
      return answered === expected
        ? undefined
        : `it is on chain ${answered}, not on chain ${expected}`
    },
  }
}
