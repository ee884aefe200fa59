import { formatAmount } from '@florin/wire/amount.ts'
import { familyOf } from '@florin/wire/network.ts'
import type { Family, NetworkId } from '@florin/wire/network.ts'
import type { ATTEMPT_STATUSES } from '@florin/wire/payment.ts'
import { RawJson } from '@florin/wire/raw-json.ts'
import type { TransactionHash } from '../chains/chain.ts'
import { describeFinality } from '../kernel/network-config.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import type { AttemptView } from '../sender/transaction-store.ts'
import type { Payment } from './payment.ts'

/** Of the native currency, for payments of a network that is not configured any more. */
const NATIVE_DECIMALS = { evm: 18, solana: 9 } as const satisfies Record<Family, number>

/**
 * What a caller may see of a payment: the fields that the answers of send, receive and status share. Without a
 * configuration, because the network has left it, what only that knows is null.
 */
export function paymentFacts(
  payment: Payment,
  newestHash: TransactionHash | null,
  config: NetworkConfig | undefined,
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
    fee: inNative(payment.feePaid, payment.network, config),
    resource: payment.resource,
    metadata: payment.metadataText === null ? null : new RawJson(payment.metadataText),
    estimatedConfirmation: config === undefined ? null : estimatedConfirmation(config),
    ...(payment.sandbox ? { sandbox: true as const } : {}),
  }
}

/** The fields of the whole record beside the shared ones. */
export function recordFacts(
  payment: Payment,
  attempts: readonly AttemptView[],
  config: NetworkConfig | undefined,
  followedHeight: bigint | null,
) {
  return {
    ...standing(payment, config, followedHeight),
    attempts: attempts.map((attempt) => ({
      number: attempt.number,
      signature: attempt.hash,
      status: attemptStatus(payment, attempt),
      createdAt: attempt.createdAtMilliseconds,
      sentAt: attempt.lastSentAtMilliseconds,
      requestId: attempt.requestId,
    })),
    ...times(payment),
  }
}

/** A payment in a list: its record without attempts, and never with its proof. */
export function listedFacts(
  payment: Payment,
  newestHash: TransactionHash | null,
  config: NetworkConfig | undefined,
  followedHeight: bigint | null,
) {
  return {
    ...paymentFacts(payment, newestHash, config),
    ...standing(payment, config, followedHeight),
    ...times(payment),
  }
}

function standing(
  payment: Payment,
  config: NetworkConfig | undefined,
  followedHeight: bigint | null,
) {
  return {
    type: payment.type,
    priorityFee: inNative(payment.priorityFee, payment.network, config),
    confirmations: confirmations(payment.blockHeight, followedHeight),
    releaseDepth: config?.releaseDepth ?? null,
    finality: config === undefined ? null : describeFinality(config.finality),
    ...(payment.finalityViolated ? { finalityViolated: true as const } : {}),
    ...(payment.tradeId === undefined ? {} : { tradeId: payment.tradeId }),
    ...(payment.selfCustody === undefined ? {} : selfCustodyFacts(payment.selfCustody)),
    ...(payment.remark === undefined ? {} : { remark: payment.remark }),
  }
}

function selfCustodyFacts({ abandonedAtMilliseconds }: NonNullable<Payment['selfCustody']>) {
  return {
    selfCustody: true as const,
    ...(abandonedAtMilliseconds === null ? {} : { abandoned: true as const }),
  }
}

function times(payment: Payment) {
  return {
    createdAt: payment.createdAtMilliseconds,
    confirmedAt: payment.confirmedAtMilliseconds,
    settledAt: payment.settledAtMilliseconds,
    ...(payment.endedAtMilliseconds === undefined ? {} : { endedAt: payment.endedAtMilliseconds }),
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

function inNative(
  units: bigint | null,
  network: NetworkId,
  config: NetworkConfig | undefined,
): RawJson | null {
  const native = config?.assets.find(({ asset }) => asset === 'native')
  const decimals = native?.decimals ?? NATIVE_DECIMALS[familyOf(network)]
  return units === null ? null : new RawJson(formatAmount(units, decimals))
}

/** One to three blocks, for people. */
function estimatedConfirmation({ blockTimeMilliseconds }: NetworkConfig): string {
  const seconds = Math.ceil(blockTimeMilliseconds / 1000)
  return `${seconds}-${Math.max(seconds * 3, seconds + 1)} seconds`
}
