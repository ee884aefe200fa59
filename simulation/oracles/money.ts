import type { Address } from '@florin/server/chains/chain.ts'
import { balanceKey, line, nonceKey } from '../chain/block-tree.ts'
import type { Included } from '../chain/block-tree.ts'
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
    const here = [...line(best)].flatMap(({ included }) => included)
    if (here.some(({ transfer }) => transfer.from === wallet && !broadcasts.isOurs(transfer))) {
      continue
    }
    const opening = network.tree.first.state.get(purse) ?? 0n
    const came = opening + sumOf(here, wallet, asset)
    // A deposit that a reorg took back later was booked in good faith.
    const ever =
      opening +
      sumOf(
        network.tree.everything.flatMap(({ included }) => included),
        wallet,
        asset,
      )
    demand(ever >= funded, 'only money that came is booked', purse)
    const has = best.state.get(purse) ?? 0n
    demand(has === booked + came - funded, 'money is conserved', `${purse}: ${has}, ${booked}`)
  }
  for (const { wallet, places } of await records.lanes()) {
    const used = best.state.get(nonceKey(wallet)) ?? 0n
    demand(chain !== 'fee' || used >= places, 'every place is used in the end', wallet)
  }
}

/** What came to a wallet, each transfer once however many forks hold it. */
function sumOf(included: readonly Included[], wallet: Address, asset: string): bigint {
  const amounts = new Map<string, bigint>()
  for (const { transfer, moved } of included) {
    const isOurs = moved && transfer.to === wallet && transfer.asset === asset
    if (isOurs) amounts.set(transfer.hash, transfer.amount)
  }
  return [...amounts.values()].reduce((sum, amount) => sum + amount, 0n)
}
