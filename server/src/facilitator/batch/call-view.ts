import { formatAmount } from '@florin/wire/amount.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import { RawJson } from '@florin/wire/raw-json.ts'
import type { TransactionHash } from '../../chains/chain.ts'
import type { OutboxEvent } from '../../events/facts.ts'
import type { NetworkConfig } from '../../kernel/network-config.ts'
import type { LonePlace } from '../../sender/lone-place-store.ts'
import type { EscrowRecord } from '../escrow-record-store.ts'
import { FAILED } from './failure.ts'

/** Of the native currency, for calls on a network that is not configured any more. */
const NATIVE_DECIMALS = 18

/** What is told of a call, wherever its transaction is. */
export type CallFacts = Omit<
  EscrowRecord,
  | 'placeId'
  | 'seenBlockHash'
  | 'createdAtMilliseconds'
  | 'confirmedAtMilliseconds'
  | 'settledAtMilliseconds'
  | 'endedAtMilliseconds'
>
type Networks = ReadonlyMap<NetworkId, NetworkConfig>
type Place = Pick<LonePlace, 'hash' | 'minedHeight' | 'feePaid'>

/** A call to an escrow in a list, with how its transaction stands. */
export function escrowCall(record: EscrowRecord, place: Place | undefined, networks: Networks) {
  const config = networks.get(record.network)
  const { hash = null, minedHeight = null, feePaid = null } = place ?? {}
  const native = config?.assets.find(({ asset }) => asset === 'native')
  const fee = feePaid === null ? null : formatAmount(feePaid, native?.decimals ?? NATIVE_DECIMALS)
  return {
    ...factsOf(record, hash),
    amount: raw(wholeUnits(record.amount, record, config)),
    claimedAmount: raw(wholeUnits(record.claimed, record, config)),
    blockHeight: minedHeight === null ? null : Number(minedHeight),
    fee: raw(fee),
    createdAt: record.createdAtMilliseconds,
    confirmedAt: record.confirmedAtMilliseconds,
    settledAt: record.settledAtMilliseconds,
    ...(record.endedAtMilliseconds === null ? {} : { endedAt: record.endedAtMilliseconds }),
    ...(record.status === 'failed' ? { failure: failureOf(record) } : {}),
    ...sandboxOf(config),
  }
}

/** What its account is told when its state changes. No channels one by one: a claim may be of a hundred. */
export function escrowCallEvent(
  record: CallFacts,
  hash: TransactionHash | null,
  config: NetworkConfig,
): OutboxEvent {
  return {
    accountId: record.accountId,
    type: 'escrowCall',
    resourceId: record.id,
    data: {
      ...factsOf(record, hash),
      amount: wholeUnits(record.amount, record, config),
      failure: record.status === 'failed' ? failureOf(record) : null,
      ...sandboxOf(config),
    },
  }
}

function factsOf(record: CallFacts, hash: string | null) {
  const { receivers, channelIds } = record
  return {
    callId: record.id,
    ...{ operation: record.operation, status: record.status, network: record.network },
    asset: record.asset,
    amountBaseUnits: record.amount?.toString() ?? null,
    claimedBaseUnits: record.claimed?.toString() ?? null,
    payer: record.payer,
    payTo: only(receivers),
    ...{ channelId: only(channelIds), channelCount: channelIds.length },
    transaction: hash,
  }
}

function only<Value>(values: readonly Value[]): Value | null {
  return values.length === 1 ? (values[0] ?? null) : null
}

/** What anybody who sees it can make first. */
const MAY_BE_MADE: ReadonlySet<CallFacts['operation']> = new Set(['deposit', 'refund'])

function failureOf({ operation }: CallFacts) {
  return {
    reason: FAILED[operation],
    message: MAY_BE_MADE.has(operation)
      ? 'Its transaction came to nothing, and another one may have done the same: ask for it again, and read its channel before a new one is signed.'
      : 'Its transaction came to nothing and can take no effect any more: ask for it again.',
  }
}

function wholeUnits(
  units: bigint | null,
  { asset }: CallFacts,
  config: NetworkConfig | undefined,
): string | null {
  const profile = config?.assets.find((each) => each.asset === asset)
  return units === null || profile === undefined ? null : formatAmount(units, profile.decimals)
}

function raw(text: string | null): RawJson | null {
  return text === null ? null : new RawJson(text)
}

function sandboxOf(config: NetworkConfig | undefined) {
  return config?.sandbox === true ? { sandbox: true as const } : {}
}
