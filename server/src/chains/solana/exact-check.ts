import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { ExactCheck, ExactLack } from '../exact.ts'
import { fieldsFrom } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import type { Read } from '../json-rpc/transport.ts'
import { contextFrom, integerFrom, transactionErrorFrom, transactionErrorText } from './answer.ts'
import { openSimulationDoubt } from './simulation-doubt.ts'
import type { Standing } from './simulation-doubt.ts'

/** As the payer signed it, on the chain as it is now; only the missing signature of ours is not looked at. */
export const SIMULATION_OPTIONS = {
  commitment: 'confirmed',
  encoding: 'base64',
  sigVerify: false,
  replaceRecentBlockhash: false,
}
const ERROR_CHARACTERS_MAX = 200

/** What a simulation said, and the compute units that it took; null where it failed or its node does not tell. */
export interface Rehearsed {
  readonly check: ExactCheck
  readonly unitsUsed: bigint | null
}

/**
 * What the transaction would do now, with the payer's own blockhash. It runs alone: every simulation starts from the chain's state and
 * leaves nothing behind. Whatever the chain says against it is the payment's own fault, but for what `openSimulationDoubt` says where nodes are known
 * to stand and the fee payer is ours.
 */
export function paymentSimulationRead(transaction: string, standing?: Standing): Read<Rehearsed> {
  const doubtOf = standing && openSimulationDoubt(standing)
  return {
    method: 'simulateTransaction',
    params: [transaction, SIMULATION_OPTIONS],
    parse: (result) => {
      const { slot, value } = contextFrom(result, 'simulation')
      const { err: said, unitsConsumed: units } = fieldsFrom(value, 'simulation')
      const err = transactionErrorFrom(said, "simulation's err")
      if (err !== null) {
        const doubt = doubtOf?.(err, slot)
        const fault = simulationFault(err, 'invalid_exact_svm_transaction_simulation_failed')
        return { check: doubt ?? fault, unitsUsed: null }
      }
      // Nodes that do not tell it, or tell that nothing was used, are only asked again and again.
      const isTold = units !== undefined && units !== null && units !== 0
      const unitsUsed = isTold ? integerFrom(units, 'units used') : null
      return { check: { ok: true }, unitsUsed }
    },
  }
}

/** What a payment lacks, for people: nodes say it by the number of an instruction. */
export const LACK_WORDS: Readonly<Record<ExactLack, string>> = {
  money: 'The payer does not have what it signed for.',
  'receiving account':
    'The receiver has no account for this token yet, so nothing can be paid to it.',
  time: 'No node here takes its blockhash: the time of this payment is over, or has only just begun.',
}

/** What the chain says against a payment, for people, and that it has happened where that is so. */
export function simulationFault(err: string | Fields, reason: Reason): ExactCheck {
  if (err === 'BlockhashNotFound') {
    return { ok: false, reason, message: LACK_WORDS.time, lacks: 'time' }
  }
  return {
    ok: false,
    reason,
    message: transactionErrorText(err).slice(0, ERROR_CHARACTERS_MAX),
    ...(err === 'AlreadyProcessed' ? { isUsed: true } : {}),
  }
}
