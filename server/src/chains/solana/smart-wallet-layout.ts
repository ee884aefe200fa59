import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { Address } from '../chain.ts'
import { unitLimit, unitPrice } from './compute-budget.ts'
import { SIGNATURE_FEE, priorityFeeOf } from './fees.ts'
import {
  COMPUTE_BUDGET_PROGRAM,
  MEMO_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from './programs.ts'
import { NO_WALLET_PROGRAMS } from './smart-wallet-programs.ts'
import { associatedAccount } from './token-account.ts'
import type { WireTransaction } from './wire-transaction.ts'

const COMPUTE_UNITS_MAX = 400_000n
/** Millionths of a lamport per unit; with the most units 20,000 lamports in all. */
const COMPUTE_PRICE_MAX = 50_000n
/** What an instruction may use where no limit is set. Source: Agave, `DEFAULT_INSTRUCTION_COMPUTE_UNIT_LIMIT`. */
const UNITS_PER_INSTRUCTION = 200_000n
/** Who acts for the wallet, and the fee payer. */
const SIGNERS = 2

/** What the wallet's payment is expected to be; its simulation has to show exactly that. */
export interface SmartWalletPayment {
  /** Whose authority moves the money: the wallet's own address, for which its program signs. */
  readonly payer: Address
  readonly source: Address
  readonly destination: Address
  /** What it takes from the fee payer at most, in lamports. */
  readonly fee: bigint
  readonly memos: readonly Uint8Array[]
}

export type SmartWalletLayout =
  | { readonly ok: true; readonly payment: SmartWalletPayment }
  | { readonly ok: false; readonly reason: Reason }

/** What another order of instructions gave a plain wallet's payment; only these may be a smart wallet's. */
const LAYOUT_FAULTS: ReadonlySet<Reason> = new Set([
  'invalid_exact_svm_payload_transaction',
  'invalid_exact_svm_payload_transaction_instructions_length',
  'invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction',
  'invalid_exact_svm_payload_transaction_instructions_compute_price_instruction',
  'invalid_exact_svm_payload_no_transfer_instruction',
  'invalid_exact_svm_payload_unknown_fourth_instruction',
  'invalid_exact_svm_payload_unknown_fifth_instruction',
  'invalid_exact_svm_payload_unknown_sixth_instruction',
  'invalid_exact_svm_payload_unknown_seventh_instruction',
  'invalid_exact_svm_payload_unknown_optional_instruction',
])

/** What is too much for a plain wallet's transfer need not be for a program. */
const BUDGET_FAULTS: ReadonlySet<Reason> = new Set([
  'invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction_too_high',
  'invalid_exact_svm_payload_transaction_instructions_compute_price_instruction_too_high',
])

/**
 * Whether what was refused as a plain wallet's payment may be a smart wallet's: where the order of instructions was wrong, or the budget
 * of something that transfers nothing by itself. What is wrong with a transfer is wrong with the payment.
 */
export function mayBeSmartWallet(reason: Reason, { instructions }: WireTransaction): boolean {
  if (LAYOUT_FAULTS.has(reason)) return true
  const transfers = instructions.some(
    ({ program }) => program === TOKEN_PROGRAM || program === TOKEN_2022_PROGRAM,
  )
  return BUDGET_FAULTS.has(reason) && !transfers
}

/**
 * Reads what can be known without a node of a payment that a wallet's program makes by a call of its own: which programs are called, that
 * no fee payer of ours stands in any instruction, so that no program can reach it, what it costs us, and between which accounts the money
 * has to move. Source: x402 `exact` on SVM, smart wallet path and sponsor policy.
 */
export function readSmartWallet(
  transaction: WireTransaction,
  wanted: {
    readonly ours: ReadonlySet<Address>
    readonly programs: ReadonlySet<string>
    readonly mint: Address
    readonly payTo: Address
  },
): SmartWalletLayout {
  const no = (reason: Reason): SmartWalletLayout => ({ ok: false, reason })
  const { instructions, signers, usesLookupTables } = transaction
  const { ours, programs, mint, payTo } = wanted
  // Who stands there can change after we signed.
  if (usesLookupTables) return no('invalid_exact_svm_smart_wallet_alt_resolution_not_available')
  const isAllowed = (program: Address): boolean =>
    program === COMPUTE_BUDGET_PROGRAM ||
    program === MEMO_PROGRAM ||
    (programs.has(program) && !NO_WALLET_PROGRAMS.has(program))
  if (!instructions.every(({ program }) => isAllowed(program))) {
    return no('invalid_exact_svm_smart_wallet_program_not_allowed')
  }
  const named = new Set(instructions.flatMap(({ program, accounts }) => [program, ...accounts]))
  if ([...named].some((address) => ours.has(address))) {
    return no('invalid_exact_svm_smart_wallet_fee_payer_not_isolated')
  }
  if (signers.length !== SIGNERS) return no('invalid_exact_svm_payload_signature_invalid')
  const budget = readBudget(transaction)
  if (!budget.ok) return budget
  const accounts = accountsBetween(named, mint, payTo)
  if (accounts === undefined) return no('invalid_exact_svm_smart_wallet_transfer_mismatch')
  const memos = instructions
    .filter(({ program }) => program === MEMO_PROGRAM)
    .map(({ data }) => data)
  const fee = SIGNATURE_FEE * BigInt(signers.length) + budget.priority
  return { ok: true, payment: { ...accounts, fee, memos } }
}

/** Limit and price at most once each and nothing else of the budget; without a limit, what the runtime sets. */
function readBudget({
  instructions,
}: WireTransaction): { ok: true; priority: bigint } | { ok: false; reason: Reason } {
  const no = (reason: Reason) => ({ ok: false, reason }) as const
  const set = instructions.filter(({ program }) => program === COMPUTE_BUDGET_PROGRAM)
  const limits = set.flatMap((each) => unitLimit(each) ?? [])
  const prices = set.flatMap((each) => unitPrice(each) ?? [])
  if (limits.length + prices.length < set.length) {
    return no('invalid_exact_svm_smart_wallet_unsupported_compute_budget_instruction')
  }
  if (limits.length > 1 || prices.length > 1) {
    return no('invalid_exact_svm_smart_wallet_malformed_compute_budget')
  }
  const working = BigInt(instructions.length - set.length)
  const [units = working * UNITS_PER_INSTRUCTION] = limits
  const [pricePerUnit = 0n] = prices
  if (units > COMPUTE_UNITS_MAX) return no('invalid_exact_svm_smart_wallet_compute_units_too_high')
  if (pricePerUnit > COMPUTE_PRICE_MAX) {
    return no('invalid_exact_svm_smart_wallet_priority_fee_too_high')
  }
  return { ok: true, priority: priorityFeeOf({ units, pricePerUnit }) }
}

/**
 * The one pair of associated accounts that the message names: the receiver's, and that of whichever other address it names, which pays.
 * A program can only move what its instruction names, so the true one is among them; where there are several, nobody could tell the payer
 * before the chain does. It derives two addresses at most for each, 0.1 ms each, and no message that fits names more than 36.
 */
function accountsBetween(
  named: ReadonlySet<Address>,
  mint: Address,
  payTo: Address,
): Pick<SmartWalletPayment, 'payer' | 'source' | 'destination'> | undefined {
  if (!named.has(mint)) return undefined
  const found = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]
    .filter((program) => named.has(program))
    .flatMap((program) => {
      const accountOf = (owner: Address) => associatedAccount(owner, program, mint).address
      const destination = accountOf(payTo)
      if (!named.has(destination)) return []
      return [...named].flatMap((payer) => {
        const source = accountOf(payer)
        return named.has(source) && source !== destination ? [{ payer, source, destination }] : []
      })
    })
  return found.length === 1 ? found[0] : undefined
}
