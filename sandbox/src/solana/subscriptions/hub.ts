import type { SolanaChain } from '../chain/chain.ts'
import type { TransactionRecord } from '../chain/transaction-record.ts'
import type { RpcValue } from '../rpc-json.ts'
import type { Reached, Watch } from './subscription.ts'

/** Follows the chain and tells every watch what concerns it. */
export interface Hub {
  /** Gives back how to end it. `tell` gets each value in order; `over` runs when the watch is done by itself. */
  add(watch: Watch, tell: (value: RpcValue) => void, over: () => void): () => void
}

interface Entry {
  readonly watch: Watch
  readonly tell: (value: RpcValue) => void
  readonly over: () => void
}

const NOTHING: ReadonlySet<string> = new Set()

export function openHub(chain: SolanaChain): Hub {
  const entries = new Set<Entry>()
  const told = {
    confirmed: chain.slotOf('confirmed'),
    finalized: chain.slotOf('finalized'),
  }

  const spread = (entry: Entry, values: readonly RpcValue[]): void => {
    for (const value of values) entry.tell(value)
    if (entry.watch.isDone?.() !== true) return
    entries.delete(entry)
    entry.over()
  }
  const reached = (event: Reached): void => {
    for (const entry of entries) spread(entry, entry.watch.reached?.(event) ?? [])
  }

  chain.listen({
    landed(record) {
      if (entries.size === 0) return
      const { before } = chain.bank.open()
      const touched = new Set(record.keys.filter((key) => before.has(key)))
      reached({ commitment: 'processed', slot: record.slot, records: [record], touched })
    },
    moved() {
      for (const commitment of ['confirmed', 'finalized'] as const) {
        const now = chain.slotOf(commitment)
        const since = told[commitment]
        told[commitment] = Math.max(since, now)
        if (entries.size === 0) continue
        for (const { slot, signatures, before } of chain.bank.blocks()) {
          if (slot <= since || slot > now) continue
          const records = signatures.flatMap((signature): TransactionRecord[] => {
            const record = chain.bank.records.get(signature)
            return record === undefined ? [] : [record]
          })
          const touched = before.size === 0 ? NOTHING : new Set(before.keys())
          reached({ commitment, slot, records, touched })
        }
      }
      for (const entry of entries) spread(entry, entry.watch.moved?.() ?? [])
    },
  })

  return {
    add(watch, tell, over) {
      const entry = { watch, tell, over }
      entries.add(entry)
      return () => void entries.delete(entry)
    },
  }
}
