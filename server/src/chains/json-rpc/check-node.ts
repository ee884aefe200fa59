import { NodeFailure } from '../chain.ts'
import { isObject } from './answer.ts'
import type { Endpoint } from './endpoint.ts'
import type { NodeAnswer, NodeCall } from './messages.ts'

/** How a family knows that a node speaks for a configured network. */
export interface Identity {
  readonly calls: readonly NodeCall[]
  /**
   * Why the results show another network, in words for an operator; undefined when they show the right one. Throws NodeFailure
   * when they show nothing.
   */
  judge(results: readonly unknown[]): string | undefined
  /** What the chain must have for anything to be read from it; left out where every chain of the family has it. */
  readonly need?: {
    readonly call: NodeCall
    /** What is missing, in words for an operator; undefined also where the result shows nothing. */
    lacks(result: unknown): string | undefined
  }
}

/** What a node turned out to be. `silent` decides nothing: it may be right when it answers. */
export type NodeFinding =
  | { readonly kind: 'right' }
  /** Of the right chain, and nothing can be read from it: the chain lacks what is needed, or the node is far behind. */
  | { readonly kind: 'unfit'; readonly reason: string }
  | { readonly kind: 'wrong'; readonly reason: string }
  | { readonly kind: 'silent'; readonly reason: string }

const SANDBOX = { method: 'florin_sandbox', params: [] }
const SOFTWARE = { method: 'web3_clientVersion', params: [] }
/** Programs that play a chain for developers; what they call a main network is a copy that anybody may change. */
const PLAY = /^(anvil|hardhat|ganache|reth\/dev|edr)/i

/** Asks one node who it is. `isMain`: the network's tokens are worth something, so that a developer's copy is refused. */
export async function checkNode(
  endpoint: Endpoint,
  identity: Identity,
  { isMain }: { isMain: boolean },
): Promise<NodeFinding> {
  try {
    const answers = await endpoint.post(identity.calls)
    const reason = identity.judge(answers.map(resultOf))
    if (reason !== undefined) return { kind: 'wrong', reason }
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error
    return { kind: 'silent', reason: error.message }
  }
  if ((await sandboxOf(endpoint)) === 'sandbox') {
    return { kind: 'wrong', reason: 'it is a Florin sandbox, whose money is worth nothing' }
  }
  const software = isMain ? await textOf(endpoint, SOFTWARE) : undefined
  if (software !== undefined && PLAY.test(software)) {
    return { kind: 'wrong', reason: "it is a developer's node with a chain of its own" }
  }
  const { need } = identity
  const lacks = need?.lacks(await textOf(endpoint, need.call))
  return lacks === undefined ? { kind: 'right' } : { kind: 'unfit', reason: lacks }
}

/**
 * Whether a node is a Florin sandbox. One always says so; any other answer, and any refusal to answer, even of the whole request,
 * is that of another node. `unknown` when nothing came back.
 */
export async function sandboxOf(endpoint: Endpoint): Promise<'sandbox' | 'other' | 'unknown'> {
  try {
    const [answer] = await endpoint.post([SANDBOX])
    if (answer === undefined || answer instanceof NodeFailure || !answer.ok) return 'other'
    return isObject(answer.result) && typeof answer.result['instance'] === 'string'
      ? 'sandbox'
      : 'other'
  } catch (error) {
    if (error instanceof NodeFailure) return 'unknown'
    throw error
  }
}

/** The text that a call answers; undefined for whatever else comes back. */
async function textOf(endpoint: Endpoint, call: NodeCall): Promise<string | undefined> {
  try {
    const [answer] = await endpoint.post([call])
    if (answer === undefined || answer instanceof NodeFailure || !answer.ok) return undefined
    return typeof answer.result === 'string' ? answer.result : undefined
  } catch (error) {
    if (error instanceof NodeFailure) return undefined
    throw error
  }
}

/** What an answer holds. Throws NodeFailure when it holds none. */
export function resultOf(answer: NodeAnswer | NodeFailure): unknown {
  if (answer instanceof NodeFailure) throw answer
  if (!answer.ok) {
    throw new NodeFailure(`the node refused: ${answer.error.code} ${answer.error.message}`)
  }
  return answer.result
}
