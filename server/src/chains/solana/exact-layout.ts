import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { Address } from '../chain.ts'
import { unitLimit, unitPrice } from './compute-budget.ts'
import { SIGNATURE_FEE, priorityFeeOf } from './fees.ts'
import { LIGHTHOUSE_PROGRAM, MEMO_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts'
import type { WireInstruction, WireTransaction } from './wire-transaction.ts'

const TRANSFER_CHECKED = 12
const INSTRUCTIONS_MIN = 3
const INSTRUCTIONS_MAX = 7
/** An ordinary transfer with a memo takes 20,000; wallets that add assertions stay below this. */
const COMPUTE_UNITS_MAX = 200_000n
/** Millionths of a lamport per unit, as the reference has it. */
const COMPUTE_PRICE_MAX = 5_000_000n
/** What the priority may cost us in all: price and limit each within bounds would still allow a million. */
const PRIORITY_LAMPORTS_MAX = 50_000n
/** The payer and the fee payer; each signature more would cost us 5,000 lamports. */
export const SIGNERS_MAX = 2

/** The one transfer that a payment is made of. */
export interface ExactTransfer {
  readonly authority: Address
  readonly tokenProgram: Address
  readonly mint: Address
  readonly source: Address
  readonly destination: Address
  readonly amount: bigint
  readonly decimals: number
  /** What it takes from the fee payer at most, in lamports. */
  readonly fee: bigint
  /** Compute units that it may take. */
  readonly unitsMax: bigint
  /** As bytes: text that is no UTF-8 must not look like some that is. */
  readonly memos: readonly Uint8Array[]
  /** The first instruction behind the transfer that is neither an assertion nor a memo; null when there is none. */
  readonly stray: Reason | null
}

export type Layout =
  | { readonly ok: true; readonly transfer: ExactTransfer }
  | { readonly ok: false; readonly reason: Reason; readonly payer: string | null }

/**
 * Reads a transaction of the one layout that plain wallets make: limit, price, transfer, then only assertions and memos. Ours is the
 * fee payer's signature over the whole message, so the fee payer stands in no instruction at all, whatever the instruction does. In the
 * order in which the reference looks. Source: x402 `exact` on SVM, static path and sponsor policy.
 */
export function readLayout(transaction: WireTransaction, ours: ReadonlySet<Address>): Layout {
  const { instructions, signers } = transaction
  const no = (reason: Reason, payer: string | null = null): Layout => ({ ok: false, reason, payer })
  if (transaction.usesLookupTables) {
    return no('invalid_exact_svm_payload_transaction')
  }
  if (instructions.length < INSTRUCTIONS_MIN || instructions.length > INSTRUCTIONS_MAX) {
    return no('invalid_exact_svm_payload_transaction_instructions_length')
  }
  const [limit, price, moving, ...others] = instructions
  const units = unitLimit(limit)
  if (units === undefined) {
    return no('invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction')
  }
  if (units > COMPUTE_UNITS_MAX) {
    return no(
      'invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction_too_high',
    )
  }
  const pricePerUnit = unitPrice(price)
  if (pricePerUnit === undefined) {
    return no('invalid_exact_svm_payload_transaction_instructions_compute_price_instruction')
  }
  const priority = priorityFeeOf({ units, pricePerUnit })
  if (pricePerUnit > COMPUTE_PRICE_MAX || priority > PRIORITY_LAMPORTS_MAX) {
    return no(
      'invalid_exact_svm_payload_transaction_instructions_compute_price_instruction_too_high',
    )
  }
  const transfer = transferChecked(moving)
  if (transfer === undefined) return no('invalid_exact_svm_payload_no_transfer_instruction')
  const { authority } = transfer
  const named = instructions.flatMap(({ program, accounts }) => [program, ...accounts])
  if (named.some((address) => ours.has(address))) {
    return no('invalid_exact_svm_payload_transaction_fee_payer_transferring_funds', authority)
  }
  if (!signers.includes(authority)) {
    return no('invalid_exact_svm_payload_signature_invalid', authority)
  }
  const strayAt = others.findIndex(
    ({ program }) => program !== LIGHTHOUSE_PROGRAM && program !== MEMO_PROGRAM,
  )
  const unknown = UNKNOWN[strayAt] ?? 'invalid_exact_svm_payload_unknown_optional_instruction'
  const stray = strayAt === -1 ? null : unknown
  const memos = others.filter(({ program }) => program === MEMO_PROGRAM).map(({ data }) => data)
  const fee = SIGNATURE_FEE * BigInt(signers.length) + priority
  return { ok: true, transfer: { ...transfer, fee, unitsMax: units, memos, stray } }
}

const UNKNOWN: readonly Reason[] = [
  'invalid_exact_svm_payload_unknown_fourth_instruction',
  'invalid_exact_svm_payload_unknown_fifth_instruction',
  'invalid_exact_svm_payload_unknown_sixth_instruction',
  'invalid_exact_svm_payload_unknown_seventh_instruction',
]

/** Exactly four accounts: more are signers of a multisignature or what a transfer hook wants. */
function transferChecked(
  instruction: WireInstruction | undefined,
): Omit<ExactTransfer, 'fee' | 'unitsMax' | 'memos' | 'stray'> | undefined {
  if (instruction === undefined) return undefined
  const { program: tokenProgram, accounts } = instruction
  if (tokenProgram !== TOKEN_PROGRAM && tokenProgram !== TOKEN_2022_PROGRAM) return undefined
  const data = Buffer.from(instruction.data)
  if (data.length !== 10 || data[0] !== TRANSFER_CHECKED || accounts.length !== 4) return undefined
  const [source, mint, destination, authority] = accounts
  if (source === undefined || mint === undefined) return undefined
  if (destination === undefined || authority === undefined) return undefined
  const [amount, decimals] = [data.readBigUInt64LE(1), data.readUInt8(9)]
  return { authority, tokenProgram, mint, source, destination, amount, decimals }
}
