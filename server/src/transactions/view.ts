import { baseUnits, formatAmount } from '@florin/wire/amount.ts'
import { RawJson } from '@florin/wire/raw-json.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import type { ApprovalFacts, Build, SummaryFacts, UnsignedFacts } from './build.ts'
import type { BuiltState } from '../sender/built-records.ts'

/** What a caller gets of a build. */
export function buildFields(build: Build, state: BuiltState, config: NetworkConfig) {
  const { fee, unsigned, format, summary } = build.facts
  return {
    paymentId: build.paymentId,
    status: state.status,
    transaction: Buffer.from(build.transaction).toString('base64'),
    format,
    network: build.network,
    lastValidBlockHeight: Number(build.lastValidBlockHeight),
    expiresAt: build.expiresAtMilliseconds,
    expiryEnforcedByChain: build.expiryEnforcedByChain,
    summary: summaryFields(summary),
    fee: inNative(fee.max, config),
    priorityFee: inNative(fee.priority, config),
    accountRent: inNative(fee.accountRent, config),
    ...(unsigned === null ? {} : { unsigned: unsignedFields(unsigned) }),
    paymentProof: state.paymentProof,
    estimatedConfirmation: estimatedConfirmation(config),
    ...sandboxField(config),
  }
}

/** An allowance that is to be signed first. */
export function approvalFields(
  { transaction, format, summary, fee, unsigned }: ApprovalFacts,
  config: NetworkConfig,
) {
  return {
    transaction,
    format,
    summary: summaryFields(summary),
    fee: inNative(fee.max, config),
    ...(unsigned === null ? {} : { unsigned: unsignedFields(unsigned) }),
  }
}

export function summaryFields(summary: SummaryFacts) {
  return {
    ...summary,
    transfers: [...summary.transfers],
    commitments: [...summary.commitments],
    createsAccounts: [...summary.createsAccounts],
    others: [...summary.others],
  }
}

export function sandboxField({ sandbox }: NetworkConfig) {
  return sandbox ? { sandbox: true as const } : {}
}

/** An amount of the network's own currency in whole units. */
export function inNative(units: string, { assets }: NetworkConfig): RawJson {
  const native = assets.find(({ asset }) => asset === 'native')
  if (native === undefined) throw new Error('a network without a currency of its own')
  return new RawJson(formatAmount(baseUnits(units), native.decimals))
}

function unsignedFields({ nonce, chainId, ...unsigned }: UnsignedFacts) {
  return { ...unsigned, nonce: Number(nonce), chainId: Number(chainId) }
}

/** One to three blocks, for people. */
function estimatedConfirmation({ blockTimeMilliseconds }: NetworkConfig): string {
  const seconds = Math.ceil(blockTimeMilliseconds / 1000)
  return `${seconds}-${Math.max(seconds * 3, seconds + 1)} seconds`
}
