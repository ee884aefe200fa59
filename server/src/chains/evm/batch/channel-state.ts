import { NodeFailure } from '../../chain.ts'
import type { Address } from '../../chain.ts'
import type { ChannelState } from '../../batch.ts'
import { malformed } from '../../json-rpc/answer.ts'
import type { Transport } from '../../json-rpc/transport.ts'
import { addressArgument } from '../arguments.ts'
import { typeHash } from '../eip712.ts'
import { hexBytes, hexDigits } from '../hex.ts'
import { MULTICALL, readEach } from '../multicall.ts'
import type { Asked, View } from '../multicall.ts'
import { ESCROW, idText } from './escrow.ts'
import type { Channel } from './escrow.ts'

const CHANNELS = selectorOf('channels(bytes32)')
const WITHDRAWALS = selectorOf('pendingWithdrawals(bytes32)')
const REFUND_NONCE = selectorOf('refundNonce(bytes32)')
const RECEIVERS = selectorOf('receivers(address,address)')
const TIMESTAMP = selectorOf('getCurrentBlockTimestamp()')
const WORD_BYTES = 32

/** A channel, and what else was asked about it in the same call; the time of that block, Unix seconds. */
export interface ReadChannel {
  readonly channel: ChannelState
  readonly nowSeconds: bigint
  /** One number each, undefined where nobody gave one. */
  readonly beside: readonly (bigint | undefined)[]
}

/** All at one block, in one call. Undefined where the network has no such escrow. */
export async function readChannel(
  transport: Pick<Transport, 'read'>,
  channel: Pick<Channel, 'id'>,
  beside: readonly Asked[] = [],
): Promise<ReadChannel | undefined> {
  const id = hexDigits(channel.id)
  const ofEscrow = (selector: string) => ({ target: ESCROW, data: selector + id })
  const [channels, withdrawal, nonce, time, ...others] = await transport.read(
    readEach([
      ...[CHANNELS, WITHDRAWALS, REFUND_NONCE].map(ofEscrow),
      { target: MULTICALL, data: TIMESTAMP },
      ...beside,
    ]),
  )
  if (channels === undefined || withdrawal === undefined || nonce === undefined) return undefined
  if (time === undefined) throw new NodeFailure('a block without a time')
  return {
    channel: {
      channelId: idText(channel),
      balance: numberAt(channels, 0),
      totalClaimed: numberAt(channels, 1),
      withdrawRequestedAtSeconds: numberAt(withdrawal, 1),
      refundNonce: numberAt(nonce, 0),
    },
    nowSeconds: numberAt(time, 0),
    beside: others.map((answer) => answer && numberAt(answer, 0)),
  }
}

/** The nonce of the next refund of a channel. */
export function refundNonceView(channel: Pick<Channel, 'id'>): View {
  return { target: ESCROW, data: REFUND_NONCE + hexDigits(channel.id) }
}

/** What was claimed for a receiver and what it was sent of that, base units. Undefined where the network has no such escrow. */
export async function readReceiver(
  transport: Pick<Transport, 'read'>,
  receiver: Address,
  token: Address,
): Promise<{ readonly totalClaimed: bigint; readonly totalSettled: bigint } | undefined> {
  const data = RECEIVERS + addressArgument(receiver) + addressArgument(token)
  const [answer] = await transport.read(readEach([{ target: ESCROW, data }]))
  if (answer === undefined) return undefined
  return { totalClaimed: numberAt(answer, 0), totalSettled: numberAt(answer, 1) }
}

function numberAt(answer: Uint8Array, word: number): bigint {
  const from = word * WORD_BYTES
  const bytes = answer.subarray(from, from + WORD_BYTES)
  if (bytes.length !== WORD_BYTES) throw malformed('escrow state', 'too short')
  return BigInt(hexBytes(bytes))
}

function selectorOf(signature: string): string {
  return hexDigits(typeHash(signature).subarray(0, 4))
}
