import type { CompletedRefund } from '@florin/wire/x402/batch-payload.ts'
import type { BatchCheck, BatchDemand, BatchOrder, BatchRefused } from '../../batch.ts'
import { refundElsewhere } from './elsewhere.ts'
import { idText } from './escrow.ts'
import type { Channel } from './escrow.ts'
import { readChannel } from './channel-state.ts'
import { asEscrowReads, ceilingProblem, isVoucherSigned } from './check-channel.ts'
import type { SignedVoucher } from './check-channel.ts'
import { claimGasMax, claimOfRows, contentKey, rowsOf } from './claims.ts'
import { no, NO_ESCROW } from './deps.ts'
import type { BatchDeps } from './deps.ts'
import { escrowCalls, refundCall } from './escrow-calls.ts'
import { refundedBy } from './escrow-results.ts'

/** Some 85,000 with a listed token; more where new state is dear (decision 0113). */
const REFUND_GAS_MAX = 500_000n

/** A voucher, or a payer's wish for a refund, which is shown by one. Nothing is sent for either. */
export function readVoucher(
  deps: BatchDeps,
  operation: 'voucher' | 'refund request',
  { channel, voucher }: { readonly channel: Channel; readonly voucher: SignedVoucher },
  { asset }: BatchDemand,
): BatchOrder {
  const never = no('invalid_batch_settlement_evm_payload_type')
  async function check(): Promise<BatchCheck> {
    const [isVouched, read] = await Promise.all([
      isVoucherSigned(deps, channel, voucher),
      readChannel(deps.transport, channel),
    ])
    if (!isVouched) return no('invalid_batch_settlement_evm_voucher_signature')
    if (read === undefined) return NO_ESCROW
    const { balance } = read.channel
    if (balance === 0n) return no('invalid_batch_settlement_evm_channel_not_found')
    const mayRepeat = operation === 'refund request'
    const ceiling = ceilingProblem(voucher, read.channel, balance, mayRepeat)
    return ceiling ?? { ok: true, channel: read.channel }
  }
  return {
    operation,
    payer: channel.payer,
    receivers: [channel.receiver],
    asset,
    channelIds: [idText(channel)],
    deposited: null,
    content: '',
    check,
    key: async () => never,
    prepare: async () => never,
    result: () => Promise.reject(new Error('nothing is sent for a voucher')),
  }
}

/** A refund as the receiver's side completed it: what is claimed before it goes into the same transaction. */
export function readRefund(
  deps: BatchDeps,
  channel: Channel,
  { amount = 0n, completed }: RefundPayload,
  { asset, payTo }: BatchDemand,
): BatchOrder | BatchRefused {
  // The stock server's channel manager refunds with terms that name no authorizer, so only whose money it is, and in which token, is held against them.
  if (channel.receiver !== payTo) return no('invalid_batch_settlement_evm_receiver_mismatch')
  if (channel.token !== asset.asset) return no('invalid_batch_settlement_evm_token_mismatch')
  const { nonce, refundSignature, claimSignature } = completed
  const rows = rowsOf(deps, completed.claims)
  // Of other channels nothing was said by whoever asked for this refund.
  if (rows.some((row) => idText(row.channel) !== idText(channel))) {
    return no('invalid_batch_settlement_evm_channel_id_mismatch')
  }
  const isSigned =
    refundSignature !== undefined && (rows.length === 0 || claimSignature !== undefined)
  // This service signs for nobody's authorizer: it would sign whatever it is handed.
  if (!isSigned) return no('invalid_batch_settlement_evm_authorizer_not_configured')
  const signature = asEscrowReads(
    deps.recovered,
    channel.receiverAuthorizer,
    Buffer.from(refundSignature.slice(2), 'hex'),
    () => deps.digests.refund(channel.id, nonce, amount),
  )
  const refund = refundCall(channel, amount, nonce, signature)
  const call =
    claimSignature === undefined || rows.length === 0
      ? refund
      : escrowCalls([claimOfRows(deps, rows, claimSignature), refund])
  const claimed = rows.reduce((most, row) => max(most, row.totalClaimed), 0n)
  return {
    operation: 'refund',
    payer: channel.payer,
    receivers: [channel.receiver],
    asset,
    channelIds: [idText(channel)],
    deposited: null,
    content: contentKey(call),
    check: async () => no('invalid_batch_settlement_evm_payload_type'),
    key: async () => ({ ok: true, key: `refund:${idText(channel)}:${nonce}` }),
    prepare: async (settler) => {
      const [read, draft] = await Promise.all([
        readChannel(deps.transport, channel),
        deps.draft(call, settler, REFUND_GAS_MAX + claimGasMax(rows)),
      ])
      if (read === undefined) return NO_ESCROW
      const { balance, totalClaimed } = read.channel
      if (balance === max(totalClaimed, claimed)) {
        return no('invalid_batch_settlement_evm_refund_no_balance')
      }
      return draft === undefined
        ? no('invalid_batch_settlement_evm_refund_simulation_failed')
        : { ok: true, draft }
    },
    result: (hash) => refundedBy(deps, channel, nonce, hash),
    elsewhere: (height) => refundElsewhere(deps, channel, { nonce, claimed }, height),
  }
}

/** Base units, and what the receiver's side added. */
interface RefundPayload {
  readonly amount?: bigint | undefined
  readonly completed: CompletedRefund
}

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}
