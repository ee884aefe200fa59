import type { Verdict } from '../chain.ts'
import { isObject, listFrom } from '../json-rpc/answer.ts'
import type { NodeError } from '../json-rpc/messages.ts'

type Meaning = Exclude<Verdict, { kind: 'accepted' | 'unknown' }>

/**
 * What nodes say when they do not take a transaction, in the order of looking. Only texts that can mean one thing are here;
 * everything else is `unknown`. So is "Blockhash not found", which a node that lags says of good bytes: only the lifetime
 * that has passed on the final chain ends a transaction. The texts are those of Agave's RPC and `TransactionError`.
 */
const MEANINGS: readonly (readonly [RegExp, Meaning])[] = [
  [/already been processed|^AlreadyProcessed$/i, { kind: 'known' }],
  [
    /signature verification fail(?:ure|ed)|^SignatureFailure$/i,
    { kind: 'rejected', reason: 'invalid' },
  ],
  [
    /VersionedTransaction too large|failed to deserialize \S*VersionedTransaction|^invalid base(?:58|64) encoding/i,
    { kind: 'rejected', reason: 'invalid' },
  ],
  [
    /^invalid transaction: |failed to sanitize accounts offsets/i,
    { kind: 'rejected', reason: 'invalid' },
  ],
  [
    /Attempt to debit an account but found no record of a prior credit/i,
    { kind: 'rejected', reason: 'insufficient_funds' },
  ],
  [
    /insufficient funds for fee|insufficient funds for rent/i,
    { kind: 'rejected', reason: 'insufficient_funds' },
  ],
]

/** What a node's error on a broadcast means; a text that nobody listed is `unknown`. */
export function verdictOf({ code, message }: NodeError): Verdict {
  const text = message.trim()
  const found = MEANINGS.find(([pattern]) => pattern.test(text))
  return found?.[1] ?? { kind: 'unknown', reason: `${code} ${text}` }
}

/** Why a simulation failed: the sender is short of money, the transfer itself is refused, or it says nothing of either. */
export type SimulationProblem = 'short' | 'refused' | 'unclear'

const SHORT: ReadonlySet<unknown> = new Set([
  'AccountNotFound',
  'InsufficientFundsForFee',
  'InvalidAccountForFee',
])
/** InstructionError of the System and token programs for a balance that is too small. */
const CUSTOM_SHORT = 1

/**
 * Reads the `err` of a simulation. `effects` are the places of the instructions that can fail on the recipient's account: those
 * that create its token account and move the amount. Source: Agave, `TransactionError`.
 */
export function simulationProblemOf(
  error: unknown,
  effects: ReadonlySet<number>,
): SimulationProblem {
  if (SHORT.has(error)) return 'short'
  const instructionError: unknown = fieldOf(error, 'InstructionError')
  if (!Array.isArray(instructionError)) {
    return fieldOf(error, 'InsufficientFundsForRent') === undefined ? 'unclear' : 'short'
  }
  const [place, what] = listFrom(instructionError, 'instruction error')
  if (typeof place !== 'number' || !effects.has(place)) return 'unclear'
  return fieldOf(what, 'Custom') === CUSTOM_SHORT ? 'short' : 'refused'
}

function fieldOf(value: unknown, field: string): unknown {
  return isObject(value) ? value[field] : undefined
}
