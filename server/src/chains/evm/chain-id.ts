import { NodeFailure } from '../chain.ts'
import { quantityFrom } from './answer.ts'
import type { Endpoint } from '../json-rpc/endpoint.ts'

const CHAIN_ID = { method: 'eth_chainId', params: [] }

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
