import type { Fields } from '@florin/wire/x402/fields.ts'
import type { Family } from '@florin/wire/network.ts'
import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { Intake, Presented } from './intake.ts'
import type { Settled, SettledPayment } from './settling.ts'
import type { Verified } from './verify.ts'
import { APPROVAL_PENDING, UNREADABLE } from './refusal-of.ts'
import { saidIn } from './version-words.ts'

/** What a person reads beside a reason of ours; the reference's own reasons say it themselves. */
const MESSAGES: Partial<Record<Reason, string>> = {
  invalid_exact_svm_payload_transaction_could_not_be_decoded: UNREADABLE,
  asset_not_listed: 'This facilitator does not take that asset.',
  network_unavailable: 'This network cannot be used right now. Nothing was sent; ask again later.',
  settlement_pending: 'The outcome is still open. Asking again with the same body joins the wait.',
  duplicate_settlement: 'This payment was settled and answered before. Do not pay again.',
  receiver_of_another_account: 'The receiving address belongs to another account.',
  payment_identifier_conflict:
    'Another payment of this payer has the same payment identifier. Do not pay again.',
  payment_too_small_for_its_gas: 'The payment is smaller than what settling it costs.',
  approval_pending: APPROVAL_PENDING,
  gas_budget_spent: 'The gas budget of today is spent.',
}

/** What a person reads beside a reason, where it is one of ours. */
export function messageOf(reason: Reason): string | undefined {
  return MESSAGES[reason]
}

/** A verification in the shape of x402, in the words of the version that was asked in. */
export function verifyAnswer(verified: Verified, presented: Presented) {
  if (verified.ok) return { isValid: true, payer: verified.intake.authorization.payer }
  const message = verified.message ?? MESSAGES[verified.reason]
  return {
    isValid: false,
    invalidReason: saidIn(presented, verified.reason),
    ...(message === undefined ? {} : { invalidMessage: message }),
    ...(verified.payer === null ? {} : { payer: verified.payer }),
  }
}

/** A settlement of nothing, which has no transaction; `verified` says whether the payment was good. */
export function nothingAnswer(verified: Verified, presented: Presented) {
  if (!verified.ok) return settleAnswer({ ...verified, kind: 'refused' }, presented)
  const { intake } = verified
  const network = networkOf(intake)
  return { success: true, payer: payerOf(intake), transaction: '', network, amount: '0' }
}

/** A settlement in the shape of x402; `extra` tells what one transaction for several payments cannot. */
export function settleAnswer(settled: Settled, presented: Presented) {
  const failed = (reason: Reason, message = MESSAGES[reason]) => ({
    success: false,
    errorReason: saidIn(presented, reason),
    ...(message === undefined ? {} : { errorMessage: message }),
  })
  switch (settled.kind) {
    case 'settled':
      return {
        success: true,
        ...moneyOf(settled),
        amount: `${settled.intake.authorization.amount}`,
        extra: extraOf(settled),
      }
    case 'pending':
      return { ...failed('settlement_pending'), ...moneyOf(settled), extra: extraOf(settled) }
    case 'reverted':
      return {
        ...failed(revertReason(settled)),
        ...moneyOf(settled),
        extra: extraOf(settled),
      }
    case 'expired':
      return {
        ...failed(expiryReason(settled)),
        ...moneyOf(settled),
        extra: extraOf(settled),
      }
    case 'duplicate':
      return {
        ...failed('duplicate_settlement', settled.message),
        ...(settled.own === null
          ? { transaction: '', network: networkOf(settled.intake), payer: payerOf(settled.intake) }
          : {
              ...moneyOf({ ...settled.own, intake: settled.intake }),
              extra: {
                ...extraOf({ ...settled.own, intake: settled.intake }),
                firstAnsweredAt: settled.own.firstAnsweredAt,
              },
            }),
      }
    case 'refused': {
      const { reason, message, payer, networkName } = settled
      return {
        ...failed(reason, message),
        ...(payer === null ? {} : { payer }),
        transaction: '',
        network: networkName,
      }
    }
    default:
      return settled satisfies never
  }
}

function moneyOf({ intake, state }: SettledPayment) {
  return { payer: payerOf(intake), transaction: state.hash ?? '', network: networkOf(intake) }
}

function extraOf({ paymentId, state }: SettledPayment): Fields {
  return {
    paymentId,
    status: state.status,
    ...(state.logIndex === null ? {} : { logIndex: state.logIndex }),
  }
}

function payerOf({ authorization }: Intake): string {
  return authorization.payer
}

function networkOf({ requirements }: Intake): string {
  return requirements.networkName
}

const REVERTED = {
  evm: 'invalid_exact_evm_transaction_failed',
  solana: 'invalid_exact_svm_transaction_failed',
} as const satisfies Record<Family, Reason>

function revertReason({ intake, state }: SettledPayment): Reason {
  const { chain, authorization } = intake
  if (authorization.permit2 === 'upto') return 'invalid_upto_evm_transaction_failed'
  const { family } = chain.config
  // It did something else than it showed: only a smart wallet's program can.
  const isOther = family === 'solana' && state.reverted && !state.revertedWhole
  return isOther ? 'post_settlement_transfer_not_confirmed' : REVERTED[family]
}

function expiryReason(settled: SettledPayment): Reason {
  const { intake } = settled
  if (intake.authorization.permit2 !== undefined) return 'permit2_deadline_expired'
  return intake.chain.config.family === 'evm'
    ? 'invalid_exact_evm_payload_authorization_valid_before'
    : revertReason(settled)
}
