import type { Address } from '@florin/server/chains/chain.ts'
import { line } from '../chain/block-tree.ts'
import type { ModelNetwork } from '../chain/model-network.ts'
import { demand } from '../finding.ts'
import type { Records } from './records.ts'

/** Every final transfer to a wallet, since the chain is read, has one received record and that one is settled; no other is. */
export async function judgeArrivals(
  network: ModelNetwork,
  records: Records,
  wallets: readonly Address[],
  readFrom: bigint,
): Promise<void> {
  const left = Map.groupBy(await records.received(), ({ hash }) => hash)
  for (const { included, height } of line(network.final())) {
    for (const { transfer, moved } of included) {
      if (!moved || !wallets.includes(transfer.to) || height <= readFrom) continue
      const { hash } = transfer
      const statuses = left.get(hash)?.map(({ status }) => status) ?? []
      left.delete(hash)
      const subject = `${hash} ${statuses.join(' ')}`
      demand(statuses.join() === 'settled', 'what came is recorded once', subject)
    }
  }
  for (const [hash, [record]] of left) {
    demand(record?.status !== 'settled', 'what is recorded as settled came', hash)
  }
}
