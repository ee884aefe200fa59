import { familyOf } from '@florin/wire/network.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type { Audit } from '../audit/audit.ts'
import { SYSTEM } from '../audit/entry.ts'
import type { TransactionHash } from '../chains/chain.ts'
import { findWalletOfAddress } from '../custody/store.ts'
import { ownFee } from '../ledger/entry.ts'
import { record } from '../ledger/store.ts'
import { takeUnbooked } from '../sender/gap-filling-store.ts'
import type { Tx } from '../store/postgres.ts'

/**
 * Books what a network took for final transactions that filled nonces which nobody had used: out of the wallet's own native currency, once, in the
 * transaction that makes them final, under the locks of their lanes. After the payments of the same block, whose holds give back what they did
 * not take. The audit log of the wallet's account says each.
 */
export async function bookFillings(
  tx: Tx,
  final: readonly { readonly network: NetworkId; readonly hash: TransactionHash }[],
  {
    audit,
    nowMilliseconds,
  }: { readonly audit: Audit | undefined; readonly nowMilliseconds: number },
): Promise<void> {
  const networks = new Set(final.map(({ network }) => network))
  for (const network of networks) {
    const hashes = final.filter((each) => each.network === network).map(({ hash }) => hash)
    for (const { laneAddress, nonce, hash, fee } of await takeUnbooked(tx, network, hashes)) {
      const wallet = await findWalletOfAddress(tx, familyOf(network), laneAddress)
      if (wallet === undefined) throw new Error('a lane has no wallet')
      const { accountId, id: walletId } = wallet
      if (fee > 0n) {
        const place = { accountId, walletId, network, asset: 'native' }
        await record(tx, [ownFee(place, fee)], nowMilliseconds)
      }
      await audit?.note(tx, {
        ...{ accountId, actor: SYSTEM, action: 'lane.filled', object: laneAddress },
        details: { network, nonce: nonce.toString(), transactionHash: hash, fee: fee.toString() },
      })
    }
  }
}
