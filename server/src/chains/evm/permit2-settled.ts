import { limits } from '../../kernel/limits.ts'
import type { Address, TokenTransfer, TransactionHash } from '../chain.ts'
import { fieldsFrom, listFrom } from '../json-rpc/answer.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { addressFrom, quantityFrom } from './answer.ts'
import { PROXIES } from './permit2.ts'
import type { Permit2Authorization } from './permit2.ts'
import { receiptLogs } from './receipt-logs.ts'
import { TRANSFER_TOPIC } from './token-transfers.ts'

/**
 * Those of an owner's transfers that the proxy of x402 made: it logs each settlement right behind its transfer, and nobody else can have it do
 * so. A transfer of nothing, which anybody can have a token log, is told from it by that. None where they are too many to be read, or a
 * receipt of theirs is not shown.
 * Source: x402's proxies, `Settled` and `SettledWithPermit`.
 */
export async function settledAmong<Moved extends { readonly hash: TransactionHash }>(
  transport: Pick<Transport, 'read'>,
  { token, scheme }: Pick<Permit2Authorization, 'token' | 'scheme'>,
  moved: readonly (Moved & { readonly transfer: TokenTransfer })[],
): Promise<readonly (Moved & { readonly transfer: TokenTransfer })[]> {
  const hashes = [...new Set(moved.map(({ hash }) => hash))]
  if (hashes.length > limits.permit2UsesReadMax) return []
  const reads = hashes.map((hash) => transport.read(settledRead(hash, token, PROXIES[scheme])))
  const read = await Promise.all(reads)
  if (read.includes(undefined)) return []
  const settled = new Map(read.map((each, index) => [hashes[index], each]))
  return moved.filter(({ hash, transfer }) => settled.get(hash)?.has(transfer.logIndex) === true)
}

/** The log indexes of a token's transfers right behind which a proxy logged that it settled; undefined where no node shows the transaction's. */
function settledRead(
  hash: TransactionHash,
  token: Address,
  proxy: Address,
): Read<ReadonlySet<number> | undefined> {
  return {
    method: 'eth_getTransactionReceipt',
    params: [hash],
    parse: (result) => {
      if (result === null) return undefined
      const settled = new Set<number>()
      const logs = receiptLogs(fieldsFrom(result, 'receipt'))
        .map((value) => {
          const log = fieldsFrom(value, 'log')
          const [topic] = listFrom(log['topics'], 'log topics')
          const writer = addressFrom(log['address'], 'log address')
          const index = Number(quantityFrom(log['logIndex'], 'log index'))
          return { writer, index, isTransfer: writer === token && topic === TRANSFER_TOPIC }
        })
        .toSorted((one, other) => one.index - other.index)
      let last: number | undefined
      for (const { writer, index, isTransfer } of logs) {
        if (isTransfer) last = index
        if (writer !== proxy) continue
        if (last !== undefined) settled.add(last)
        last = undefined
      }
      return settled
    },
  }
}
