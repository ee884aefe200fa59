import { NodeFailure } from '../chain.ts'
import type { Endpoint } from '../json-rpc/endpoint.ts'
import { textFrom } from './answer.ts'

const GENESIS_HASH = { method: 'getGenesisHash', params: [] }
/** How much of the genesis hash a CAIP-2 id keeps. Source: CAIP-30. */
const REFERENCE_CHARACTERS = 32

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
