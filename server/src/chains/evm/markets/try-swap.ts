import { fieldsFrom, isObject, listFrom } from '../../json-rpc/answer.ts'
import type { Read } from '../../json-rpc/transport.ts'
import { isUnknownMethod } from '../../json-rpc/unknown-method.ts'
import type { Address, TokenTransfer } from '../../chain.ts'
import { quantityFrom } from '../answer.ts'
import { estimateProblemOf } from '../failures.ts'
import { hexBytes, hexQuantity } from '../hex.ts'
import { transferFrom } from '../token-transfers.ts'
import type { Call } from '../transfer.ts'

/** One call of several that were run one after the other on the newest state. */
export interface TriedCall {
  readonly succeeded: boolean
  readonly gasUsed: bigint
  /** The node's own text about a failure; empty without one. */
  readonly reason: string
  /** What its logs show. */
  readonly transfers: readonly TokenTransfer[]
}

/** Runs calls of one sender as if they stood in one block; `unknown` where the node cannot. Source: execution-apis, `eth_simulateV1`. */
export function triedRead(
  sender: Address,
  calls: readonly Call[],
  gasMax: bigint,
): Read<readonly TriedCall[] | 'unknown'> {
  const gas = hexQuantity(gasMax)
  const asked = calls.map(({ to, value, data }) => ({
    from: sender,
    to,
    value: hexQuantity(value),
    input: hexBytes(data),
    gas,
  }))
  return {
    method: 'eth_simulateV1',
    params: [{ blockStateCalls: [{ calls: asked }], validation: false }, 'latest'],
    parse: (result) => {
      const [block] = listFrom(result, 'simulated blocks')
      const tried = listFrom(fieldsFrom(block, 'simulated block')['calls'], 'simulated calls')
      return tried.map((each) => {
        const fields = fieldsFrom(each, 'simulated call')
        const { error } = fields
        const message = isObject(error) ? error['message'] : undefined
        const succeeded = quantityFrom(fields['status'], 'simulated status') === 1n
        return {
          succeeded,
          transfers: succeeded ? listFrom(fields['logs'], 'simulated logs').flatMap(moved) : [],
          gasUsed: quantityFrom(fields['gasUsed'], 'gas used'),
          reason: typeof message === 'string' ? message : '',
        }
      })
    },
    meaning: (error) =>
      // Some nodes refuse the whole when one call cannot even begin.
      isUnknownMethod(error) || estimateProblemOf(error) !== undefined ? 'unknown' : undefined,
  }
}

/** Logs of a simulation may lack where they stand. */
function moved(log: unknown): readonly TokenTransfer[] {
  return transferFrom(isObject(log) ? { ...log, logIndex: '0x0' } : log)
}
