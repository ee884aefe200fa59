import { NodeFailure } from '../chain.ts'
import { resultOf } from './check-node.ts'
import type { Identity } from './check-node.ts'
import type { Endpoint } from './endpoint.ts'

/**
 * Makes sure that an endpoint speaks for the network that its configuration says. The question rides in the first
 * batch, and again after a failure, when another node may have taken its place; a wrong answer fails the batch.
 */
export function onlyChain(identity: Identity, endpoint: Endpoint): Endpoint {
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
      const answers = await endpoint.post([...calls, ...identity.calls])
      const reason = identity.judge(answers.slice(calls.length).map(resultOf))
      if (reason !== undefined) throw new NodeFailure(`the node is of another network: ${reason}`)
      checked = true
      return answers.slice(0, calls.length)
    },
  }
}
