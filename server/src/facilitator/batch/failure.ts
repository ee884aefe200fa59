import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { BatchOperation } from '../../chains/batch.ts'

/** What is said of a call that came to nothing on chain, in the words of the scheme. */
export const FAILED = {
  deposit: 'invalid_batch_settlement_evm_deposit_transaction_failed',
  claim: 'invalid_batch_settlement_evm_claim_transaction_failed',
  settle: 'invalid_batch_settlement_evm_settle_transaction_failed',
  refund: 'invalid_batch_settlement_evm_refund_transaction_failed',
} as const satisfies Record<BatchOperation, Reason>
