import { NodeFailure } from '../chain.ts'
import type { NetworkConfig } from '../../kernel/network-config.ts'
import type { Identity } from '../json-rpc/check-node.ts'
import type { Endpoint } from '../json-rpc/endpoint.ts'
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

/**
 * Makes sure that an endpoint speaks for the network that its configuration says. The question rides in the first
 * batch, and again after a failure, when another node may have taken its place; a wrong answer fails the batch.
 */
export function onlyChain(reference: string, endpoint: Endpoint): Endpoint {
  let checked = false
  return {
    post: async (calls) => {
      if (checked) {
        try {
          return await endpoint.post(calls)
        } catch (error) {
          checked = false
          throw error
        }
      }
      const answers = await endpoint.post([...calls, GENESIS_HASH])
      const answer = answers[calls.length]
      if (answer instanceof NodeFailure) throw answer
      if (answer?.ok !== true) throw new NodeFailure('the node does not tell its genesis hash')
      const answered = textFrom(answer.result, 'genesis hash').slice(0, REFERENCE_CHARACTERS)
      if (answered !== reference) {
        throw new NodeFailure(`the node is on chain ${answered}, not on chain ${reference}`)
      }
      checked = true
      return answers.slice(0, calls.length)
    },
  }
}
