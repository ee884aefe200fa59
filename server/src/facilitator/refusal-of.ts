import { Refusal } from '@florin/wire/errors.ts'
import type { ErrorCode, ErrorDetails } from '@florin/wire/errors.ts'
import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { ExactLack } from '../chains/exact.ts'

const RETRY_SECONDS = 2

/** The codes of the reasons of x402; every other one means that the proof does not pay what was expected. */
const CODES: Partial<Record<Reason, ErrorCode>> = {
  invalid_payload: 'INVALID_PAYMENT_PROOF',
  invalid_x402_version: 'INVALID_PAYMENT_PROOF',
  invalid_exact_evm_signature: 'INVALID_PAYMENT_PROOF',
  invalid_exact_evm_payload_authorization_valid_before: 'INVALID_PAYMENT_PROOF',
  invalid_exact_evm_payload_authorization_valid_after: 'INVALID_PAYMENT_PROOF',
  invalid_permit2_signature: 'INVALID_PAYMENT_PROOF',
  permit2_deadline_expired: 'INVALID_PAYMENT_PROOF',
  permit2_not_yet_valid: 'INVALID_PAYMENT_PROOF',
  invalid_exact_svm_payload_transaction_could_not_be_decoded: 'INVALID_PAYMENT_PROOF',
  invalid_exact_svm_payload_signature_invalid: 'INVALID_PAYMENT_PROOF',
  transfer_failed: 'INVALID_PAYMENT_PROOF',
  invalid_network: 'UNSUPPORTED_NETWORK',
  invalid_exact_evm_insufficient_balance: 'INSUFFICIENT_BALANCE',
  permit2_insufficient_balance: 'INSUFFICIENT_BALANCE',
  invalid_exact_evm_recipient_mismatch: 'INVALID_RECIPIENT',
  invalid_permit2_recipient_mismatch: 'INVALID_RECIPIENT',
  invalid_exact_svm_payload_recipient_mismatch: 'INVALID_RECIPIENT',
  transfer_recipient_mismatch: 'INVALID_RECIPIENT',
  duplicate_settlement: 'DUPLICATE_SETTLEMENT',
  invalid_exact_evm_nonce_already_used: 'DUPLICATE_SETTLEMENT',
  permit2_invalid_nonce: 'DUPLICATE_SETTLEMENT',
  transfer_past_its_life: 'DUPLICATE_SETTLEMENT',
  payment_identifier_conflict: 'DUPLICATE_SETTLEMENT',
  payment_too_small_for_its_gas: 'POLICY_REFUSED',
  gas_budget_spent: 'POLICY_REFUSED',
  network_unavailable: 'NETWORK_ERROR',
  approval_pending: 'NETWORK_ERROR',
  settlement_pending: 'SETTLEMENT_PENDING',
}

const NAMED_BEFORE =
  'Another payment of this payer has the same payment identifier. Do not pay again.'

/** Of a payment of which nothing has been claimed. */
export const APPROVAL_PENDING =
  "The payer's approval of Permit2 is not in a block yet. Nothing was paid; ask again with the same payment."

/** Of a payment that took effect by a transaction of which nothing is known here. */
export const PROCESSED =
  'The chain has processed this payment already: look there what became of it before anybody is asked to pay again.'

/** Of a payment that no node takes any more, or yet, where no history tells whether it took effect before. */
export const PAST_UNTOLD =
  'The time of this payment is over, or has only just begun. No node here has the history to tell whether it was sent before: look at the chain before anybody is asked to pay again.'

/** Of bytes that are no transaction which the scheme takes on Solana. In version 1 its fee payer would pay whatever the message names (SIMD-0385). */
export const UNREADABLE =
  "The payment's transaction cannot be read. It has to be a whole one of version 0, or without a version, in base64; version 1 is not taken."

/** What people should read where the code's own sentence says something else. */
const MESSAGES: Partial<Record<Reason, string>> = {
  invalid_exact_evm_insufficient_balance: 'The payer does not have what it signed for.',
  permit2_insufficient_balance: 'The payer does not have what it signed for.',
  permit2_allowance_required:
    'The payer has not approved Permit2 for this token, or not for as much.',
  invalid_exact_svm_payload_transaction_could_not_be_decoded: UNREADABLE,
  transfer_past_its_life: 'This proof is past its life. It was paid: do not pay again.',
  approval_pending: APPROVAL_PENDING,
  payment_identifier_conflict: NAMED_BEFORE,
  payment_too_small_for_its_gas: 'The payment is smaller than what settling it costs.',
  gas_budget_spent: 'The gas budget of today is spent.',
  receiver_of_another_account: 'The receiving address belongs to another account.',
}

/** What a seller should do about what is missing, where one reason stands for all of it. */
const LACKS: Readonly<Record<ExactLack, ErrorCode>> = {
  money: 'INSUFFICIENT_BALANCE',
  'receiving account': 'INVALID_RECIPIENT',
  time: 'INVALID_PAYMENT_PROOF',
}

/**
 * The refusal that says a reason of x402 in our codes, always with the reason itself. `lacks`: what the payment is known to lack, which says more.
 * Source: x402 reference notes, 2.1.
 */
export function refusalOf(
  reason: Reason,
  details: ErrorDetails = {},
  message: string | undefined = MESSAGES[reason],
  lacks?: ExactLack,
): Refusal {
  const code = (lacks && LACKS[lacks]) ?? CODES[reason] ?? 'PAYMENT_VERIFICATION_FAILED'
  const waits = code === 'SETTLEMENT_PENDING' || code === 'NETWORK_ERROR'
  return new Refusal(code, {
    details: { ...details, reason },
    ...(message === undefined ? {} : { message }),
    ...(waits ? { retryAfterSeconds: RETRY_SECONDS } : {}),
  })
}
