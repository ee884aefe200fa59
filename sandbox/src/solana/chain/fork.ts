import type { Bank } from './bank.ts'
import { readWire } from './wire-transaction.ts'

/** Slots after its first transaction by which a fork is lost, filled or not. */
const LIFE_SLOTS_MAX = 20

/** A minority fork: transactions that are seen, even confirmed, and that the winning fork does not have. */
export interface Fork {
  /** The next `transactions` that land are on it; it is lost `slots` slots after the last of them. */
  arm(transactions: number, slots: number): void
  /** A transaction landed. Whether blocks will be taken back. */
  noteLanded(signature: string, slot: number): boolean
  /** Takes the fork back when its time has come, and says whether it did. */
  end(): boolean
  disarm(): void
}

interface Live {
  left: number
  readonly slots: number
  base: number | undefined
  lostAt: number
  readonly signatures: Set<string>
}

export function openFork(bank: Bank): Fork {
  let live: Live | undefined
  return {
    arm(transactions, slots) {
      live = { left: transactions, slots, base: undefined, lostAt: Infinity, signatures: new Set() }
    },
    noteLanded(signature, slot) {
      if (live === undefined) return false
      if (live.left > 0) {
        live.left -= 1
        live.base ??= slot
        live.signatures.add(signature)
        live.lostAt = live.left === 0 ? slot + live.slots : live.base + LIFE_SLOTS_MAX
      }
      return live.base !== undefined
    },
    end() {
      if (live?.base === undefined || bank.open().slot < live.lostAt) return false
      const { base, signatures } = live
      live = undefined
      replaceBlocks(bank, base, signatures)
      return true
    },
    disarm() {
      if (live?.base === undefined) live = undefined
      else live.left = 0
    },
  }
}

/**
 * The winning fork has no block where the lost one had these transactions. Its other blocks hold what else was there,
 * as far as it does not build on a blockhash of the lost fork.
 */
function replaceBlocks(bank: Bank, base: number, lost: ReadonlySet<string>): void {
  const removed = bank.revert(base).map(({ slot, time, signatures }) => {
    const wires = signatures.map((signature) => bank.records.get(signature)?.wire ?? '')
    return { slot, time, signatures, wires }
  })
  for (const { signatures } of removed) {
    for (const signature of signatures) bank.records.remove(signature)
  }
  let carried: string[] = []
  for (const { slot, time, signatures, wires } of removed) {
    carried.push(...wires.filter((_, index) => !lost.has(signatures[index] ?? '')))
    if (signatures.some((signature) => lost.has(signature))) continue
    bank.advance(time, slot)
    for (const text of carried) {
      const wire = readWire(Buffer.from(text, 'base64'))
      if (wire !== undefined) bank.land(wire)
    }
    carried = []
  }
}
