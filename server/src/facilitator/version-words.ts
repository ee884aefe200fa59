import { fieldsOf } from '@florin/wire/x402/fields.ts'
import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { Presented } from './intake.ts'

/** Reasons that version 1 says in other words. Source: the reference implementation 2.27, its schemes of version 1. */
const VERSION_1: Partial<Record<Reason, string>> = {
  invalid_exact_evm_payload_authorization_value_mismatch: 'invalid_exact_evm_authorization_value',
  invalid_exact_svm_unsupported_scheme: 'unsupported_scheme',
  invalid_exact_svm_network_mismatch: 'network_mismatch',
  invalid_exact_svm_fee_payer_not_managed_by_facilitator: 'fee_payer_not_managed_by_facilitator',
  invalid_exact_svm_transaction_simulation_failed: 'transaction_simulation_failed',
  invalid_exact_svm_transaction_failed: 'transaction_failed',
}

/** A reason in the words of the version that a payment was presented in; inside of the service there is one word for each. */
export function saidIn({ paymentPayload }: Presented, reason: Reason): string {
  const said = fieldsOf(paymentPayload)?.['x402Version'] === 1 ? VERSION_1[reason] : undefined
  return said ?? reason
}
