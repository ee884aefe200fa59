import { nonceKey } from '../chain/block-tree.ts'
import type { ModelNetwork } from '../chain/model-network.ts'
import { demand } from '../finding.ts'
import type { Plan } from '../plan.ts'
import { effectsOn } from './effects.ts'
import type { Records } from './records.ts'
import { ENDS } from './records.ts'

/** Follows every payment's status from commit to commit. */
export interface StatusOracle {
  judge(): Promise<void>
  /** Whether a payment was ever seen with a status. */
  hasHad(paymentId: string, status: string): boolean
}

/** An end is final, settled and failed are what the final chain says, and budgets hold at every moment. */
export function openStatusOracle(
  { chain, limit }: Plan,
  network: ModelNetwork,
  records: Records,
): StatusOracle {
  const ends = new Map<string, string>()
  const had = new Map<string, Set<string>>()
  return {
    hasHad: (id, status) => had.get(id)?.has(status) === true,
    judge: async () => {
      const best = effectsOn(network.best())
      const final = effectsOn(network.final())
      const spent = new Map<string, bigint>()
      for (const { id, status, amount, mark, asset, sender, nonce } of await records.sent()) {
        const before = ends.get(id)
        demand(before === undefined || before === status, 'an end is final', `${id} left ${before}`)
        if (ENDS.has(status)) ends.set(id, status)
        had.set(id, (had.get(id) ?? new Set()).add(status))

        const isMoved = best.get(mark)?.some(({ moved }) => moved) === true
        demand(status !== 'failed' || !isMoved, 'what failed never moves money', id)
        const end = final.get(mark)?.at(-1)
        demand(status !== 'settled' || end?.moved === true, 'settled is final on chain', id)
        const used = network.final().state.get(nonceKey(sender)) ?? 0n
        const isTaken = chain === 'fee' && used > nonce
        const isOver = end === undefined ? isTaken : !end.moved
        demand(status !== 'failed' || isOver, 'failed is proven at finality', id)

        if (status === 'failed') continue
        const purse = `${sender} ${asset}`
        spent.set(purse, (spent.get(purse) ?? 0n) + amount)
        demand(limit === undefined || (spent.get(purse) ?? 0n) <= limit, 'a budget holds', purse)
      }
    },
  }
}
