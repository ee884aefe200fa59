import type { BatchDemand, BatchRefused, ChannelState } from '../../batch.ts'
import { ZERO_ADDRESS, parseAddress } from '../account.ts'
import { saysYes } from '../exact-wallet.ts'
import { evenV } from '../permit2.ts'
import type { RecoveredSigners } from '../recovered-signers.ts'
import { no } from './deps.ts'
import type { BatchDeps } from './deps.ts'
import { idText, WITHDRAW_DELAY_SECONDS } from './escrow.ts'
import type { Channel } from './escrow.ts'

/** A voucher with its bytes. */
export interface SignedVoucher {
  /** As its payload names it, 0x and lower-case hex. */
  readonly channelId: string
  readonly maxClaimableAmount: bigint
  readonly signature: Uint8Array
}

/** What is wrong with a channel for a seller, undefined when nothing is. In the reference's order (@x402/evm 2.27, validateChannelConfig). */
export function channelProblem(
  channel: Channel,
  { channelId }: Pick<SignedVoucher, 'channelId'>,
  { payTo, asset, requirements: { extra } }: BatchDemand,
): BatchRefused | undefined {
  if (channelId !== idText(channel)) return no('invalid_batch_settlement_evm_channel_id_mismatch')
  if (channel.receiver !== payTo) return no('invalid_batch_settlement_evm_receiver_mismatch')
  const { receiverAuthorizer: named, withdrawDelay } = extra
  const authorizer = typeof named === 'string' ? parseAddress(named) : undefined
  if (authorizer === undefined || authorizer === ZERO_ADDRESS) {
    return no('invalid_batch_settlement_evm_receiver_authorizer_mismatch')
  }
  if (channel.receiverAuthorizer !== authorizer) {
    return no('invalid_batch_settlement_evm_receiver_authorizer_mismatch')
  }
  if (channel.token !== asset.asset) return no('invalid_batch_settlement_evm_token_mismatch')
  const delay = channel.withdrawDelaySeconds
  if (withdrawDelay !== undefined && Number(withdrawDelay) !== Number(delay)) {
    return no('invalid_batch_settlement_evm_withdraw_delay_mismatch')
  }
  const { min, max } = WITHDRAW_DELAY_SECONDS
  return delay < min || delay > max
    ? no('invalid_batch_settlement_evm_withdraw_delay_out_of_range')
    : undefined
}

/** Whether the voucher is signed by whom the escrow will ask: the key that the channel names, else its payer, by key or code. */
export async function isVoucherSigned(
  { digests, recovered, code, transport }: BatchDeps,
  channel: Channel,
  { maxClaimableAmount, signature }: SignedVoucher,
): Promise<boolean> {
  const digest = () => digests.voucher(channel.id, maxClaimableAmount)
  const { payer, payerAuthorizer } = channel
  if (payerAuthorizer !== ZERO_ADDRESS) {
    return recovered.isSigned(payerAuthorizer, signature, digest)
  }
  if (!(await code.hasCodeNow(payer))) return recovered.isSigned(payer, signature, digest)
  return saysYes(transport, { from: payer, signature }, digest())
}

/** A key's signature as the escrow reads it, with v of 27 or 28. What an account with code is to say yes to goes as it was written: it may have the length of a key's. */
export function asEscrowReads(
  recovered: RecoveredSigners,
  signer: string,
  signature: Uint8Array,
  digest: () => Uint8Array,
): Uint8Array {
  const even = evenV(signature)
  if (even === signature) return signature
  return recovered.isSigned(signer, signature, digest) ? even : signature
}

/** What is wrong with the ceiling of a voucher, undefined when nothing is: more than the channel has, or no more than was claimed. */
export function ceilingProblem(
  { maxClaimableAmount }: Pick<SignedVoucher, 'maxClaimableAmount'>,
  { totalClaimed }: Pick<ChannelState, 'totalClaimed'>,
  balance: bigint,
  mayRepeat: boolean,
): BatchRefused | undefined {
  if (maxClaimableAmount > balance) {
    return no('invalid_batch_settlement_evm_cumulative_exceeds_balance')
  }
  const isBelow = mayRepeat ? maxClaimableAmount < totalClaimed : maxClaimableAmount <= totalClaimed
  return isBelow ? no('invalid_batch_settlement_evm_cumulative_below_claimed') : undefined
}
