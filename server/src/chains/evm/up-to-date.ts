import { NodeFailure } from '../chain.ts'
import { quantityFrom } from './answer.ts'
import type { Endpoint } from '../json-rpc/endpoint.ts'

const BLOCK_NUMBER = { method: 'eth_blockNumber', params: [] }
/** How a node is asked for its height. */
export const HEIGHT = {
  call: BLOCK_NUMBER,
  parse: (result: unknown) => quantityFrom(result, 'height'),
} as const
const DEPENDS_ON_HEIGHT: ReadonlySet<string> = new Set([
  'eth_getTransactionReceipt',
  'eth_getTransactionCount',
])

/**
 * Refuses what a node says of receipts and nonces while it is behind a height that is known to be final. Without this
 * a node that lags would show a transaction as absent whose nonce another node has just called used up for good. Its
 * height is asked first, so that what it says is not older.
 */
export function onlyUpToDate(finalHeight: () => bigint, endpoint: Endpoint): Endpoint {
  return {
    post: async (calls) => {
      if (!calls.some(({ method }) => DEPENDS_ON_HEIGHT.has(method))) return endpoint.post(calls)
      const needed = finalHeight()
      const [answer, ...answers] = await endpoint.post([BLOCK_NUMBER, ...calls])
      if (answer instanceof NodeFailure) throw answer
      if (answer?.ok !== true) throw new NodeFailure('the node does not tell its height')
      const height = quantityFrom(answer.result, 'height')
      if (height < needed) {
        throw new NodeFailure(`the node is at block ${height}, and block ${needed} is final`)
      }
      return answers
    },
  }
}
