import { line } from '../chain/block-tree.ts'
import type { Included, ModelBlock } from '../chain/block-tree.ts'
import type { ModelNetwork } from '../chain/model-network.ts'
import { demand } from '../finding.ts'
import type { Intent } from '../payers.ts'

/** What stands of our payments on the line that ends with a block, by mark. */
export function effectsOn(tip: ModelBlock): ReadonlyMap<string, readonly Included[]> {
  const found = new Map<string, Included[]>()
  for (const { included } of line(tip)) {
    for (const one of included) {
      const { mark } = one.transfer
      if (mark !== '') found.set(mark, [...(found.get(mark) ?? []), one])
    }
  }
  return found
}

/** At no moment is anything paid twice, whatever the books say. */
export function judgeEffects(network: ModelNetwork, intents: readonly Intent[]): void {
  const paid = new Map<bigint, number>()
  for (const [mark, included] of effectsOn(network.best())) {
    const moved = included.filter((one) => one.moved)
    demand(moved.length <= 1, 'a payment moves money once', mark)
    for (const { transfer } of moved)
      paid.set(transfer.amount, (paid.get(transfer.amount) ?? 0) + 1)
  }
  for (const { number, key, tries } of intents) {
    const asked = new Set(tries.map(({ amount }) => amount))
    const times = [...asked].reduce((sum, amount) => sum + (paid.get(amount) ?? 0), 0)
    const most = key === undefined ? tries.length : 1
    demand(times <= most, 'an intent is paid once', `intent ${number}`)
  }
}
