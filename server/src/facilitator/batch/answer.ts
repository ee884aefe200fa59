import type { ChannelState } from '../../chains/batch.ts'
import { messageOf } from '../answer.ts'
import type { BatchSettled } from './settle-batch.ts'
import type { BatchVerified } from './verify-batch.ts'

/** A verification in the shape of the scheme: how the channel stood before. Source: @x402/evm 2.27. */
export function batchVerifyAnswer(verified: BatchVerified) {
  if (verified.ok) {
    const { intake, channel } = verified
    return { isValid: true, ...payerOf(intake.order.payer), extra: channelFields(channel) }
  }
  const { reason, payer } = verified
  const message = verified.message ?? messageOf(reason)
  return {
    isValid: false,
    invalidReason: reason,
    ...(message === undefined ? {} : { invalidMessage: message }),
    ...(payer === null ? {} : { payer }),
  }
}

/** A settlement in the shape of the scheme. Source: @x402/evm 2.27. */
export function batchSettleAnswer(settled: BatchSettled) {
  switch (settled.kind) {
    case 'settled': {
      const { intake, hash, result } = settled
      const { amount, channel } = result
      return {
        success: true,
        ...payerOf(intake.order.payer),
        transaction: hash,
        network: intake.networkName,
        ...(amount === null ? {} : { amount: `${amount}` }),
        ...(channel === null ? {} : { extra: { channelState: channelFields(channel) } }),
      }
    }
    case 'pending':
    case 'duplicate':
    case 'failed': {
      const { intake, hash } = settled
      const reason = settled.kind === 'failed' ? settled.reason : OPEN[settled.kind]
      return {
        ...failed(reason, messageOf(reason)),
        ...payerOf(intake.order.payer),
        transaction: hash ?? '',
        network: intake.networkName,
      }
    }
    case 'refused': {
      const { reason, message, payer, networkName } = settled
      return {
        ...failed(reason, message ?? messageOf(reason)),
        ...payerOf(payer),
        transaction: '',
        network: networkName,
      }
    }
    default:
      return settled satisfies never
  }
}

/** Says that a call was made for an earlier request. */
export function batchHeaders(settled: BatchSettled): Readonly<Record<string, string>> {
  return settled.kind === 'settled' && settled.replayed ? { 'idempotent-replayed': 'true' } : {}
}

const OPEN = { pending: 'settlement_pending', duplicate: 'duplicate_settlement' } as const

function failed(errorReason: string, errorMessage: string | undefined) {
  return {
    success: false,
    errorReason,
    ...(errorMessage === undefined ? {} : { errorMessage }),
  }
}

function payerOf(payer: string | null) {
  return payer === null ? {} : { payer }
}

function channelFields(channel: ChannelState) {
  const { channelId, balance, totalClaimed, withdrawRequestedAtSeconds, refundNonce } = channel
  return {
    channelId,
    balance: `${balance}`,
    totalClaimed: `${totalClaimed}`,
    withdrawRequestedAt: Number(withdrawRequestedAtSeconds),
    refundNonce: `${refundNonce}`,
  }
}
