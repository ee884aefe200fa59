import { NodeFailure } from '../chain.ts'
import { fieldsFrom, malformed } from './answer.ts'
import { isUnknownMethod } from './unknown-method.ts'
import type { NodeAnswer } from './messages.ts'
import type { Transport } from './transport.ts'

const CALL = { method: 'florin_sandbox', params: [] }

/**
 * The id of the sandbox behind the configured nodes, or null when none of them is one. Every node is asked: throws
 * NodeFailure when one does not answer or they do not agree.
 */
export async function readSandboxInstance(transport: Transport): Promise<string | null> {
  const nodes = await transport.tellAll([CALL])
  const instances = new Set(nodes.map(([answer]) => instanceFrom(answer)))
  const [instance] = instances
  if (instance === undefined || instances.size !== 1) {
    throw new NodeFailure('the nodes do not belong to the same network')
  }
  return instance
}

function instanceFrom(answer: NodeAnswer | NodeFailure | undefined): string | null {
  if (answer === undefined) throw new NodeFailure('a node was not asked for its sandbox')
  if (answer instanceof NodeFailure) throw answer
  if (!answer.ok) {
    if (isUnknownMethod(answer.error)) return null
    throw new NodeFailure(`a node did not say whether it is a sandbox: ${answer.error.message}`)
  }
  const instance = fieldsFrom(answer.result, 'sandbox answer')['instance']
  if (typeof instance !== 'string' || instance === '') throw malformed('sandbox id', instance)
  return instance
}
