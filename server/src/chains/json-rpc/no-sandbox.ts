import { NodeFailure } from '../chain.ts'
import { sandboxOf } from './check-node.ts'
import type { Endpoint } from './endpoint.ts'

/**
 * Keeps a sandbox's chain from being taken for a real one: a sandbox announces a public network's id, because clients know no
 * other. Asked once before the first use, in a request of its own, since some gateways refuse a whole request for a method they
 * do not know; and again after a failure, when another node may have taken its place.
 */
export function noSandbox(endpoint: Endpoint): Endpoint {
  let checked = false
  return {
    post: async (calls) => {
      if (!checked && (await sandboxOf(endpoint)) === 'sandbox') {
        throw new NodeFailure('the node is a Florin sandbox, and this network is none')
      }
      try {
        const answers = await endpoint.post(calls)
        // A node that answers this but was silent to the question before is no sandbox of ours: they answer both.
        checked = true
        return answers
      } catch (error) {
        checked = false
        throw error
      }
    },
  }
}
