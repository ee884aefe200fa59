import { balanceKey, line, nonceKey } from '../chain/block-tree.ts'
import type { ModelNetwork } from '../chain/model-network.ts'
import { demand } from '../finding.ts'
import type { Plan } from '../plan.ts'
import type { BroadcastOracle } from './broadcasts.ts'
import type { Records } from './records.ts'

/**
 * When nothing is under way: what the books say of a wallet is what it has, but for money that came and that no send has needed yet. A
 * wallet whose key a stranger has used is left out, its books cannot know.
 */
export async function judgeMoney(
  { chain }: Plan,
  network: ModelNetwork,
  records: Records,
  broadcasts: BroadcastOracle,
): Promise<void> {
  const best = network.best()
  for (const { wallet, asset, booked, funded } of await records.money()) {
    const purse = balanceKey(wallet, asset)
    let came = network.tree.first.state.get(purse) ?? 0n
    let isStolen = false
    for (const { included } of line(best)) {
      for (const { transfer, moved } of included) {
        if (moved && transfer.to === wallet && transfer.asset === asset) came += transfer.amount
        if (transfer.from === wallet && !broadcasts.isOurs(transfer)) isStolen = true
      }
    }
    if (isStolen) continue
    demand(came >= funded, 'only money that came is booked', purse)
    const has = best.state.get(purse) ?? 0n
    demand(has === booked + came - funded, 'money is conserved', `${purse}: ${has}, ${booked}`)
  }
  for (const { wallet, places } of await records.lanes()) {
    const used = best.state.get(nonceKey(wallet)) ?? 0n
    demand(chain !== 'fee' || used >= places, 'every place is used in the end', wallet)
  }
}
