import { NodeFailure } from '../chain.ts'
import { isObject } from '../json-rpc/answer.ts'
import type { Endpoint } from '../json-rpc/endpoint.ts'
import type { NodeAnswer, NodeCall } from '../json-rpc/messages.ts'

/** How a call says up to which version of transactions it can be answered. */
const FIELD = 'maxSupportedTransactionVersion'
/**
 * The newest version that is read here, which every call for blocks and transactions names: with a lower number a node refuses a whole block for one
 * transaction. Source: SIMD-0385, on mainnet since September 2026.
 */
export const KNOWN_VERSIONS = { [FIELD]: 1 } as const
/** The number stands in seven bits. Source: Solana, `MESSAGE_VERSION_PREFIX`. */
const VERSION_MAX = 127
/** Agave, `JSON_RPC_SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION`. */
const UNSUPPORTED_VERSION = -32015

/**
 * Asks the same node again, with the highest number, for what it refuses because a transaction in it has a higher version than was asked for. A block that
 * holds a single one of these is refused as a whole, and nothing behind it would be read. Not asked for that way at first, since a node need not take a number
 * that no transaction has yet. What is answered then is read like any other: a version that is told otherwise than the known ones is malformed.
 */
export function anyVersion(endpoint: Endpoint): Endpoint {
  return {
    post: async (calls) => {
      const answers = await endpoint.post(calls)
      const places = answers.flatMap((answer, place) => {
        const call = calls[place]
        const raised = call === undefined || !isRefused(answer) ? undefined : raise(call)
        return raised === undefined ? [] : [{ place, raised }]
      })
      if (places.length === 0) return answers
      const again = await endpoint
        .post(places.map(({ raised }) => raised))
        .catch((error: unknown) => {
          if (!(error instanceof NodeFailure)) throw error
          return places.map(() => error)
        })
      const merged = [...answers]
      places.forEach(({ place }, index) => {
        merged[place] = again[index] ?? new NodeFailure('a call without an answer')
      })
      return merged
    },
  }
}

function isRefused(answer: NodeAnswer | NodeFailure): boolean {
  return !(answer instanceof NodeFailure) && !answer.ok && answer.error.code === UNSUPPORTED_VERSION
}

/** The call with the highest number; undefined where it has that already, or none. */
function raise({ method, params }: NodeCall): NodeCall | undefined {
  const isRaisable = (value: unknown): value is Readonly<Record<string, unknown>> =>
    isObject(value) && FIELD in value && value[FIELD] !== VERSION_MAX
  if (!params.some(isRaisable)) return undefined
  return {
    method,
    params: params.map((each) => (isRaisable(each) ? { ...each, [FIELD]: VERSION_MAX } : each)),
  }
}
