import { baseUnits } from '@florin/wire/amount.ts'
import { NodeFailure } from '../chain.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { addressFromBytes, requireAddress } from './account.ts'
import { addressWord, uintWord } from './eip712.ts'
import { hexBytes } from './hex.ts'
import { keccak256 } from './keccak.ts'
import { openLogLooks } from './log-ranges.ts'
import { NONCES_INVALIDATED_TOPIC, PERMIT2, PROXIES } from './permit2.ts'
import type { Permit2Authorization } from './permit2.ts'
import { findPermit2Use } from './permit2-final.ts'
import { USDC } from './test-network.ts'
import { TRANSFER_TOPIC } from './token-transfers.ts'
import { transferCall } from './transfer.ts'

/** A look of somebody who has just started. */
export const findNew = (
  transport: Pick<Transport, 'read'>,
  authorization: Permit2Authorization,
  sinceHeight: bigint,
  isOurs = false,
) => findPermit2Use({ transport, looks: openLogLooks() }, authorization, sinceHeight, isOurs)

export const account = (byte: number) => addressFromBytes(new Uint8Array(20).fill(byte))
export const word = (byte: number) => hexBytes(new Uint8Array(32).fill(byte))
const PARENT = word(0xbb)
/** A payment of `exact` by Permit2. */
export const PAID: Permit2Authorization = {
  scheme: 'exact',
  token: requireAddress(USDC.asset),
  from: account(1),
  to: account(2),
  permitted: 500n,
  value: 500n,
  nonce: 7n,
  deadlineSeconds: 2n ** 40n,
  validAfterSeconds: 0n,
  facilitator: null,
  signature: new Uint8Array(65),
}

const TOPICS = [TRANSFER_TOPIC, ...[PAID.from, PAID.to].map((it) => hexBytes(addressWord(it)))]

/** A plain transfer of the token by the payer. */
export const plain = (height: number, amount: bigint): Done => ({
  ...{ height, by: PAID.from, to: PAID.token, moved: [amount] },
  input: hexBytes(
    transferCall(
      {
        ...{ asset: USDC, recipient: PAID.to, sender: PAID.from, amount: baseUnits(amount) },
        commitment: new Uint8Array(32),
      },
      PAID.token,
      true,
    ).data,
  ),
})

/** A log of a contract that has nothing to do with it. */
const STRANGE = { address: account(0xee), topics: [word(0xee)] }

/** One transaction of a scripted chain: what it called, and what it logged. */
export interface Done {
  readonly height: number
  readonly by?: string
  readonly to?: string
  readonly input?: string
  /** Of these amounts, from the payer to the seller. */
  readonly moved?: readonly bigint[]
  /** Which of these its proxy settled, and logged so. */
  readonly settles?: readonly number[]
  /** No node shows its receipt. */
  readonly hasNoReceipt?: true
  /** The receipt that is shown has lost its logs. */
  readonly hasNoLogs?: true
  /** It took this nonce back. */
  readonly takesBack?: number
  /** Nonces that are used from its block on; somebody else's contract always logs something beside. */
  readonly uses?: readonly number[]
}

/**
 * A node of 5,000 blocks, or as many as are said, with these transactions; without the state below a height, more logs than so many at once, any logs at all, or the
 * filters of its blocks, when that is said.
 */
export function nodeOf(
  done: readonly Done[],
  { stateFrom = 0n, logsMax = 10_000, hasLogs = true, fillsBlooms = true, head = 5_000 } = {},
): Pick<Transport, 'read'> {
  const hashOf = (index: number) => word(index + 1)
  const blockOf = (height: number | bigint) => hexBytes(uintWord(BigInt(height) + 2n ** 200n))
  const logsOf = ({ height, moved = [], takesBack }: Done, index: number) => {
    const place = {
      ...{ blockNumber: `0x${height.toString(16)}`, blockHash: blockOf(height) },
      transactionHash: hashOf(index),
    }
    const nonces = [0n, 1n << BigInt(takesBack ?? 0)].map(uintWord)
    return [
      ...moved.map((amount, at) => ({
        ...{ address: PAID.token, topics: TOPICS, data: hexBytes(uintWord(amount)), ...place },
        logIndex: `0x${(index * 16 + at * 2).toString(16)}`,
      })),
      ...(takesBack === undefined
        ? []
        : [
            {
              ...{ address: PERMIT2, topics: [NONCES_INVALIDATED_TOPIC, TOPICS[1]], ...place },
              ...{ data: hexBytes(Buffer.concat(nonces)), logIndex: '0x999' },
            },
          ]),
    ]
  }
  const proxyLogsOf = ({ settles = [] }: Done, index: number) =>
    settles.map((at) => ({
      ...{ address: PROXIES.upto, topics: [word(0xcc)], data: '0x' },
      logIndex: `0x${(index * 16 + at * 2 + 1).toString(16)}`,
    }))
  /** What a block's filter says of the writers and topics of its logs. */
  const bloomAt = (height: bigint): string => {
    const logs = done.flatMap((each, index) =>
      BigInt(each.height) === height ? [STRANGE, ...logsOf(each, index)] : [],
    )
    const items = logs.flatMap(({ address, topics }) => [address, ...topics.map(String)])
    const bits = items.flatMap((item) => {
      const hash = keccak256(Buffer.from(item.slice(2), 'hex'))
      return [0, 2, 4].map((at) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2_047)
    })
    const filter = bits.reduce((all, bit) => all | (1n << BigInt(bit)), 0n)
    return `0x${(fillsBlooms ? filter : 0n).toString(16).padStart(512, '0')}`
  }
  const heightOf = (blockHash: string) => BigInt(blockHash) - 2n ** 200n
  const answer = (method: string, params: readonly unknown[]): unknown => {
    const [first, second] = params
    switch (method) {
      case 'eth_blockNumber':
        return `0x${head.toString(16)}`
      case 'eth_getBlockByNumber': {
        const [hash, parentHash] = [blockOf(BigInt(String(first))), PARENT]
        return { number: first, hash, parentHash, timestamp: '0x1', transactions: [] }
      }
      case 'eth_getBlockByHash': {
        const height = heightOf(String(first))
        return { hash: first, parentHash: blockOf(height - 1n), logsBloom: bloomAt(height) }
      }
      case 'eth_getLogs': {
        if (!hasLogs) return []
        const { blockHash, fromBlock = 0, toBlock = 0 } = Object(first) as Record<string, string>
        const last = toBlock === 'latest' ? head : Number(toBlock)
        const logs = done.flatMap((each, index) => {
          const { height } = each
          const isIn = blockHash === undefined && height >= Number(fromBlock) && height <= last
          return isIn || blockHash === blockOf(height) ? logsOf(each, index) : []
        })
        if (logs.length > logsMax) throw new NodeFailure('too many logs')
        return logs
      }
      case 'eth_getTransactionByHash':
      case 'eth_getTransactionReceipt': {
        const index = done.findIndex((_, at) => hashOf(at) === first)
        const found = done[index]
        if (found === undefined) return null
        const { by = account(9), to = account(9), input = '0xdeadbeef', height } = found
        if (method === 'eth_getTransactionByHash') return { from: by, to, input }
        if (found.hasNoReceipt === true) return null
        return {
          ...{ status: '0x1', gasUsed: '0x1', effectiveGasPrice: '0x1' },
          ...{ blockNumber: `0x${height.toString(16)}`, blockHash: blockOf(height) },
          ...{
            transactionHash: first,
            logs:
              found.hasNoLogs === true
                ? []
                : [...logsOf(found, index), ...proxyLogsOf(found, index)],
          },
        }
      }
      case 'eth_call': {
        const { blockHash } = Object(second) as { readonly blockHash?: string }
        const height = blockHash === undefined ? BigInt(String(second)) : heightOf(blockHash)
        if (height < stateFrom) throw new NodeFailure('missing trie node')
        const uses = done.flatMap((each) => (each.height <= height ? (each.uses ?? []) : []))
        const bits = uses.reduce((all, nonce) => all | (1n << BigInt(nonce)), 0n)
        return hexBytes(Buffer.concat([0x20n, 1n, 0x20n, 1n, 0x40n, 0x20n, bits].map(uintWord)))
      }
      default:
        throw new Error(`${method} was not expected`)
    }
  }
  return { read: async ({ method, params, parse }) => parse(answer(method, params)) }
}
