import type { Elsewhere } from '../../batch.ts'
import { NodeFailure } from '../../chain.ts'
import type { TransactionHash } from '../../chain.ts'
import { fieldsFrom, listFrom } from '../../json-rpc/answer.ts'
import type { Fields } from '../../json-rpc/answer.ts'
import type { Read } from '../../json-rpc/transport.ts'
import { limits } from '../../../kernel/limits.ts'
import { lookedFrom } from '../../looked-from.ts'
import { addressFrom, quantityFrom, transactionHashFrom } from '../answer.ts'
import { AUTHORIZATION_USED_TOPIC, authorizationStateView } from '../eip3009.ts'
import type { Authorization } from '../eip3009.ts'
import { findUse, headRead } from '../exact-final.ts'
import { hexQuantity } from '../hex.ts'
import { readViews, readViewsAt } from '../multicall.ts'
import { receiptLogs } from '../receipt-logs.ts'
import { readChannel, refundNonceView } from './channel-state.ts'
import type { BatchDeps } from './deps.ts'
import { ESCROW, idText } from './escrow.ts'
import type { Channel } from './escrow.ts'
import { DEPOSITED, escrowLog, isOf, REFUNDED } from './escrow-results.ts'

const NOWHERE: Elsewhere = { kind: 'nowhere' }
const UNKNOWN: Elsewhere = { kind: 'unknown' }
const NO_SUCH_FUNCTION = 2n
/** Of one channel, in the blocks that are asked for at once. */
const REFUNDS_MAX = 8

/**
 * Whether a deposit stands in its channel by somebody else's transaction, at a height or a while before: everybody may make it who has seen the call. By the authorization's own event, whose
 * nonce is this deposit's alone, its transfer to the collector, and what the escrow then took before any other authorization was used. Throws NodeFailure.
 */
export async function depositElsewhere(
  { transport, looks, config }: BatchDeps,
  channel: Channel,
  authorization: Authorization,
  height: bigint,
): Promise<Elsewhere> {
  const view = authorizationStateView(authorization, NO_SUCH_FUNCTION)
  const [head, [used]] = await withHead(transport, transport.read(readViews([view])))
  if (used === 0n) return head < height ? UNKNOWN : NOWHERE
  const since = lookedFrom(height, config)
  const use = await findUse({ transport, looks }, authorization, since)
  // Cancelled by its payer, or used for something else.
  if (use?.kind === 'wasted') return NOWHERE
  if (use?.kind !== 'paid') return UNKNOWN
  const { hash, height: at, logIndex } = use.settlement
  const isHere = await transport.read(depositRead(hash, logIndex, channel, authorization))
  return isHere ? { kind: 'made', hash, height: at } : NOWHERE
}

/** Whether the escrow's deposit follows a transfer, and no other authorization is used between them. */
function depositRead(
  hash: TransactionHash,
  logIndex: number,
  channel: Channel,
  { value }: Authorization,
): Read<boolean> {
  return {
    method: 'eth_getTransactionReceipt',
    params: [hash],
    parse: (result) => {
      const logs = receiptLogs(fieldsFrom(result, 'receipt')).map((log) => fieldsFrom(log, 'log'))
      // Of a node that keeps no logs, or has another block: nothing is behind a log that it does not show.
      if (!logs.some((log) => indexOf(log) === logIndex)) {
        throw new NodeFailure('a receipt without the log that was found in it')
      }
      const behind = logs
        .filter((log) => indexOf(log) > logIndex)
        .toSorted((one, other) => indexOf(one) - indexOf(other))
      for (const log of behind) {
        const [topic] = listFrom(log['topics'], 'log topics')
        const writer = addressFrom(log['address'], 'log address')
        if (writer === channel.token && topic === AUTHORIZATION_USED_TOPIC) return false
        if (writer !== ESCROW || topic !== DEPOSITED) continue
        const [seen] = escrowLog(log)
        return (
          seen !== undefined &&
          isOf(seen.topics, DEPOSITED, idText(channel)) &&
          seen.words[0] === value
        )
      }
      return false
    },
  }
}

function indexOf(log: Fields): number {
  return Number(quantityFrom(log['logIndex'], 'log index'))
}

/**
 * Whether a refund, and what was to be claimed before it, was made by somebody else's transaction, at a height or a while before: by the block in which its nonce, and no other, was used, and what the escrow gave back there.
 * Throws NodeFailure.
 */
export async function refundElsewhere(
  { transport }: Pick<BatchDeps, 'transport'>,
  channel: Channel,
  { nonce, claimed }: { readonly nonce: bigint; readonly claimed: bigint },
  height: bigint,
): Promise<Elsewhere> {
  const view = refundNonceView(channel)
  const [head, read] = await withHead(transport, readChannel(transport, channel))
  if (head < height) return UNKNOWN
  if (read === undefined || read.channel.refundNonce <= nonce) return NOWHERE
  // The refund's signature is good without the claim that goes before it: a server that heard of a success would let go of vouchers that are not claimed.
  if (read.channel.totalClaimed < claimed) return NOWHERE
  const refunds = await transport.read(refundsRead(channel, height))
  for (const { hash, height: at } of refunds.toReversed().slice(0, REFUNDS_MAX)) {
    const nonceAt = async (block: bigint) =>
      (await transport.read({ ...readViewsAt([view], hexQuantity(block)), apart: true }))[0]
    const [before, after] = await Promise.all([nonceAt(at - 1n), nonceAt(at)])
    if (before === nonce && after === nonce + 1n) return { kind: 'made', hash, height: at }
  }
  return UNKNOWN
}

/** An answer of the newest state, and the newest block of the node that gives it, in one batch. One that is behind the block in which ours failed does not show why. */
function withHead<Answer>(
  transport: BatchDeps['transport'],
  asked: Promise<Answer>,
): Promise<[bigint, Answer]> {
  return Promise.all([transport.read({ ...headRead, isUnique: true }), asked])
}

/** Refunds of a channel that moved something, up to a height, the oldest first. */
function refundsRead(
  channel: Channel,
  height: bigint,
): Read<readonly { readonly hash: TransactionHash; readonly height: bigint }[]> {
  const from = height - BigInt(limits.logBlocksMax) + 1n
  const fromBlock = hexQuantity(from > 0n ? from : 0n)
  const topics = [REFUNDED, idText(channel)]
  return {
    method: 'eth_getLogs',
    params: [{ address: ESCROW, topics, fromBlock, toBlock: hexQuantity(height) }],
    parse: (result) =>
      listFrom(result, 'logs').map((value) => {
        const log = fieldsFrom(value, 'log')
        return {
          hash: transactionHashFrom(log['transactionHash'], 'log transaction'),
          height: quantityFrom(log['blockNumber'], 'log height'),
        }
      }),
  }
}
