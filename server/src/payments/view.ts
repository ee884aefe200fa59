import { formatAmount } from '@florin/wire/amount.ts'
import type { ATTEMPT_STATUSES } from '@florin/wire/payment.ts'
import { RawJson } from '@florin/wire/raw-json.ts'
import type { TransactionHash } from '../chains/chain.ts'
import { describeFinality } from '../kernel/network-config.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import type { AttemptView } from '../sender/transaction-store.ts'
import type { Payment } from './payment.ts'

/** What a caller may see of a payment: the fields that the answers of send, receive and status share. */
export function paymentFacts(
  payment: Payment,
  newestHash: TransactionHash | null,
  config: NetworkConfig,
) {
  return {
    paymentId: payment.id,
    signature: payment.transactionHash ?? newestHash,
    network: payment.network,
    asset: payment.asset,
    amount: new RawJson(formatAmount(payment.amount, payment.decimals)),
    amountBaseUnits: payment.amount.toString(),
    sender: payment.sender,
    recipient: payment.recipient,
    status: payment.status,
    blockHeight: payment.blockHeight === null ? null : Number(payment.blockHeight),
    fee: inNative(payment.feePaid, config),
    resource: payment.resource,
    metadata: payment.metadataText === null ? null : new RawJson(payment.metadataText),
    estimatedConfirmation: estimatedConfirmation(config),
    ...(payment.sandbox ? { sandbox: true as const } : {}),
  }
}

/** The fields of the whole record beside the shared ones. */
export function recordFacts(
  payment: Payment,
  attempts: readonly AttemptView[],
  config: NetworkConfig,
  followedHeight: bigint | null,
) {
  return {
    type: payment.type,
    priorityFee: inNative(payment.priorityFee, config),
    confirmations: confirmations(payment.blockHeight, followedHeight),
    releaseDepth: config.releaseDepth,
    finality: describeFinality(config.finality),
    ...(payment.finalityViolated ? { finalityViolated: true as const } : {}),
    attempts: attempts.map((attempt) => ({
      number: attempt.number,
      signature: attempt.hash,
      status: attemptStatus(payment, attempt),
      createdAt: attempt.createdAtMilliseconds,
      sentAt: attempt.lastSentAtMilliseconds,
    })),
    createdAt: payment.createdAtMilliseconds,
    confirmedAt: payment.confirmedAtMilliseconds,
    settledAt: payment.settledAtMilliseconds,
    ...(payment.failure === null ? {} : { failure: payment.failure }),
  }
}

function attemptStatus(
  payment: Payment,
  { hash, acceptedAtMilliseconds }: AttemptView,
): (typeof ATTEMPT_STATUSES)[number] {
  if (payment.transactionHash === hash) return payment.status === 'failed' ? 'reverted' : 'mined'
  if (payment.transactionHash !== null || payment.status === 'failed') return 'replaced'
  return acceptedAtMilliseconds === null ? 'signed' : 'sent'
}

/** Blocks that hold or build on the effect; the one it is in counts as the first. */
function confirmations(blockHeight: bigint | null, followedHeight: bigint | null): number {
  if (blockHeight === null || followedHeight === null || followedHeight < blockHeight) return 0
  return Number(followedHeight - blockHeight) + 1
}

function inNative(units: bigint | null, config: NetworkConfig): RawJson | null {
  const decimals = config.assets.find(({ asset }) => asset === 'native')?.decimals ?? 0
  return units === null ? null : new RawJson(formatAmount(units, decimals))
}

/** One to three blocks, for people. */
function estimatedConfirmation({ blockTimeMilliseconds }: NetworkConfig): string {
  const seconds = Math.ceil(blockTimeMilliseconds / 1000)
  return `${seconds}-${Math.max(seconds * 3, seconds + 1)} seconds`
}
