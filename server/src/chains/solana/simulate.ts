import { NodeFailure } from '../chain.ts'
import { fieldsFrom, malformed } from '../json-rpc/answer.ts'
import type { Read } from '../json-rpc/transport.ts'
import { contextFrom, integerFrom, transactionErrorFrom, transactionErrorText } from './answer.ts'
import { UNITS_MAX } from './compute.ts'
import { simulationProblemOf } from './failures.ts'
import type { SimulationProblem } from './failures.ts'
import { compileMessage } from './message.ts'
import { MEMO_PROGRAM, COMPUTE_BUDGET_PROGRAM } from './programs.ts'
import { NO_SIGNATURE, withSignature } from './sign.ts'
import { transferInstructions } from './transfer.ts'
import type { Transfer } from './transfer.ts'

export type Simulation =
  { readonly unitsUsed: bigint } | { readonly problem: Exclude<SimulationProblem, 'unclear'> }

const OPTIONS = {
  commitment: 'confirmed',
  encoding: 'base64',
  sigVerify: false,
  replaceRecentBlockhash: true,
}

/**
 * What a transfer would do now: unsigned, at the highest limit and without a priority fee. An error that says nothing of the
 * transfer is a NodeFailure.
 */
export function simulationRead(transfer: Transfer, blockhash: string): Read<Simulation> {
  const instructions = transferInstructions(transfer, { units: UNITS_MAX, pricePerUnit: 0n })
  const message = compileMessage(transfer.sender, instructions, blockhash)
  const effects = new Set(
    instructions.flatMap(({ program }, index) =>
      program === MEMO_PROGRAM || program === COMPUTE_BUDGET_PROGRAM ? [] : [index],
    ),
  )
  return {
    method: 'simulateTransaction',
    params: [Buffer.from(withSignature(NO_SIGNATURE, message)).toString('base64'), OPTIONS],
    parse: (result) => {
      const fields = fieldsFrom(contextFrom(result, 'simulation').value, 'simulation')
      const error = transactionErrorFrom(fields['err'], "simulation's err")
      if (error === null) {
        const unitsUsed = integerFrom(fields['unitsConsumed'], 'units used')
        // Nothing runs for nothing: with the limit that follows from it, every transfer of this shape would fail.
        if (unitsUsed === 0n || unitsUsed > UNITS_MAX) throw malformed('units used', `${unitsUsed}`)
        return { unitsUsed }
      }
      const problem = simulationProblemOf(error, effects)
      if (problem === 'unclear') {
        throw new NodeFailure(`the node cannot simulate: ${transactionErrorText(error)}`)
      }
      return { problem }
    },
  }
}
