import { NodeFailure } from '../../chain.ts'
import type { Address, TransactionHash } from '../../chain.ts'
import type { BatchResult, ChannelState, EscrowMoves } from '../../batch.ts'
import { fieldsFrom, listFrom } from '../../json-rpc/answer.ts'
import type { Fields } from '../../json-rpc/answer.ts'
import type { Transport } from '../../json-rpc/transport.ts'
import { addressFrom, bytesFrom, quantityFrom, wordFrom } from '../answer.ts'
import { addressArgument } from '../arguments.ts'
import { typeHash } from '../eip712.ts'
import { hexBytes } from '../hex.ts'
import { receiptLogs } from '../receipt-logs.ts'
import { readChannel } from './channel-state.ts'
import type { BatchDeps } from './deps.ts'
import { ESCROW, idText } from './escrow.ts'
import type { Channel } from './escrow.ts'

export const DEPOSITED = topicOf('Deposited(bytes32,address,uint128,uint128)')
const CLAIMED = topicOf('Claimed(bytes32,address,uint128,uint128)')
export const REFUNDED = topicOf('Refunded(bytes32,address,uint128)')
const SETTLED = topicOf('Settled(address,address,address,uint128)')
const WORD_BYTES = 32

/** A node may be a block behind the one that showed the receipt: it is given so many moments. */
const LOOKS_MAX = 10
const LOOK_PAUSE_MILLISECONDS = 150

/** A log of the escrow: its topics, and the words of its data. */
interface EscrowLog {
  readonly topics: readonly string[]
  readonly words: readonly bigint[]
}

/** The channel after a deposit. Throws NodeFailure where the node's receipt does not show it. */
export async function depositedBy(
  deps: BatchDeps,
  channel: Channel,
  amount: bigint,
  hash: TransactionHash,
): Promise<BatchResult> {
  const id = idText(channel)
  const log = (await logsOf(deps, hash)).find(
    ({ topics, words: [moved] }) => isOf(topics, DEPOSITED, id) && moved === amount,
  )
  const balance = log?.words[1]
  // The escrow takes a deposit or reverts: it was made, and by a node without logs nobody is told that it failed.
  if (balance === undefined) throw new NodeFailure('a deposit that no log shows')
  const state = await readAfter(deps, channel, (read) => read.balance >= balance)
  // A node that is behind, or money that has left since: a seller would serve for what is not there.
  if (state.balance < balance) throw new NodeFailure('a deposit that no node shows in its channel')
  return { amount, channel: state }
}

/** What went back to the payer, and the channel then. Throws NodeFailure where no node shows the nonce used. */
export async function refundedBy(
  deps: BatchDeps,
  channel: Channel,
  nonce: bigint,
  hash: TransactionHash,
): Promise<BatchResult> {
  const id = idText(channel)
  const log = (await logsOf(deps, hash)).find(({ topics }) => isOf(topics, REFUNDED, id))
  const state = await readAfter(deps, channel, (read) => read.refundNonce > nonce)
  if (state.refundNonce <= nonce) throw new NodeFailure('a refund that no node shows yet')
  return { amount: log?.words[0] ?? 0n, channel: state }
}

/** What a receiver was sent; nothing where everything had been sent. */
export async function settledBy(
  deps: BatchDeps,
  receiver: Address,
  token: Address,
  hash: TransactionHash,
): Promise<BatchResult> {
  const named = [receiver, token].map((address) => `0x${addressArgument(address)}`)
  const log = (await logsOf(deps, hash)).find(({ topics }) => isOf(topics, SETTLED, ...named))
  return { amount: log?.words[0] ?? 0n, channel: null }
}

/** What a transaction moved in the escrow, all channels together. Throws NodeFailure. */
export async function movedBy(
  deps: Pick<BatchDeps, 'transport'>,
  hash: TransactionHash,
): Promise<EscrowMoves> {
  const { logs, blockHash } = await receiptOf(deps, hash)
  const sum = (topic: string) =>
    logs
      .filter(({ topics }) => isOf(topics, topic))
      .reduce((total, { words: [amount = 0n] }) => total + amount, 0n)
  return {
    ...{ blockHash, deposited: sum(DEPOSITED), claimed: sum(CLAIMED) },
    ...{ settled: sum(SETTLED), refunded: sum(REFUNDED) },
  }
}

/** Whether a log begins with these topics. */
export function isOf(topics: readonly string[], ...wanted: readonly string[]): boolean {
  return wanted.every((topic, index) => topics[index] === topic)
}

async function logsOf(
  deps: Pick<BatchDeps, 'transport'>,
  hash: TransactionHash,
): Promise<readonly EscrowLog[]> {
  return (await receiptOf(deps, hash)).logs
}

async function receiptOf(
  { transport }: Pick<BatchDeps, 'transport'>,
  hash: TransactionHash,
): Promise<{ readonly logs: readonly EscrowLog[]; readonly blockHash: string }> {
  return transport.read({
    method: 'eth_getTransactionReceipt',
    params: [hash],
    parse: (result) => {
      if (result === null) throw new NodeFailure('a receipt that the node does not have yet')
      const receipt = fieldsFrom(result, 'receipt')
      // It had succeeded, and is in another block since: what becomes of it is not known yet.
      if (quantityFrom(receipt['status'], 'receipt status') !== 1n) {
        throw new NodeFailure('a receipt that says otherwise by now')
      }
      const logs = receiptLogs(receipt).flatMap((log) => escrowLog(fieldsFrom(log, 'log')))
      return { logs, blockHash: wordFrom(receipt['blockHash'], 'receipt block') }
    },
  })
}

/** A log where it is the escrow's. Throws NodeFailure on what is none. */
export function escrowLog(log: Fields): readonly EscrowLog[] {
  if (addressFrom(log['address'], 'log address') !== ESCROW) return []
  const topics = listFrom(log['topics'], 'log topics').map((topic) => wordFrom(topic, 'log topic'))
  const data = bytesFrom(log['data'], 'log data')
  const count = Math.floor(data.length / WORD_BYTES)
  const words = Array.from({ length: count }, (_, index) =>
    BigInt(hexBytes(data.subarray(index * WORD_BYTES, (index + 1) * WORD_BYTES))),
  )
  return [{ topics, words }]
}

/** The channel as soon as a node shows what has happened, or as it is shown after a while. */
async function readAfter(
  { transport, clock }: { readonly transport: Pick<Transport, 'read'> } & Pick<BatchDeps, 'clock'>,
  channel: Channel,
  isAfter: (state: ChannelState) => boolean,
): Promise<ChannelState> {
  for (let look = 1; ; look += 1) {
    const read = await readChannel(transport, channel)
    if (read === undefined) throw new NodeFailure('an escrow that is not there any more')
    if (isAfter(read.channel) || look === LOOKS_MAX) return read.channel
    await clock.sleep(LOOK_PAUSE_MILLISECONDS)
  }
}

function topicOf(signature: string): string {
  return hexBytes(typeHash(signature))
}
