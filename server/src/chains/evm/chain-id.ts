import { NodeFailure } from '../chain.ts'
import type { NetworkConfig } from '../../kernel/network-config.ts'
import { fieldsFrom } from '../json-rpc/answer.ts'
import type { Identity } from '../json-rpc/check-node.ts'
import type { Endpoint } from '../json-rpc/endpoint.ts'
import { quantityFrom, wordFrom } from './answer.ts'

const CHAIN_ID = { method: 'eth_chainId', params: [] }
const FIRST_BLOCK = { method: 'eth_getBlockByNumber', params: ['0x0', false] }

/** A node is known by its chain id, and by the hash of its first block where the configuration names one. */
export function identityOf({
  network,
  genesisHash,
}: Pick<NetworkConfig, 'network' | 'genesisHash'>): Identity {
  const expected = BigInt(network.slice('eip155:'.length))
  return {
    calls: genesisHash === undefined ? [CHAIN_ID] : [CHAIN_ID, FIRST_BLOCK],
    judge: ([id, first]) => {
      const answered = quantityFrom(id, 'chain id')
      if (answered !== expected) return `it is on chain ${answered}, not on chain ${expected}`
      if (genesisHash === undefined) return undefined
      const hash = wordFrom(fieldsFrom(first, 'first block')['hash'], 'block hash')
      return hash.toLowerCase() === genesisHash.toLowerCase()
        ? undefined
        : `its first block is ${hash}, not ${genesisHash}`
    },
  }
}

/**
 * Makes sure that an endpoint speaks for the network that its configuration says. The question rides in the first
 * batch, and again after a failure, when another node may have taken its place; a wrong answer fails the batch.
 */
export function onlyChain(chainId: bigint, endpoint: Endpoint): Endpoint {
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
      const answers = await endpoint.post([...calls, CHAIN_ID])
      const answer = answers[calls.length]
      if (answer instanceof NodeFailure) throw answer
      if (answer?.ok !== true) throw new NodeFailure('the node does not tell its chain id')
      const answered = quantityFrom(answer.result, 'chain id')
      if (answered !== chainId) {
        throw new NodeFailure(`the node is on chain ${answered}, not on chain ${chainId}`)
      }
      checked = true
      return answers.slice(0, calls.length)
    },
  }
}
