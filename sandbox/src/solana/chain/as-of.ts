import type { StoredAccount } from './account.ts'
import type { Bank } from './bank.ts'

/**
 * Runs `work` on the named accounts as they were after the last block at or below a slot, as a node does that rehearses on
 * the bank of a commitment. What it wrote is taken back. The clock stays that of the open slot.
 */
export function asOf<T>(
  { svm, blocks, readAt }: Bank,
  addresses: readonly string[],
  slot: number,
  work: () => T,
): T {
  const later = blocks().filter((block) => block.slot > slot)
  const changed = addresses.filter((address) => later.some(({ before }) => before.has(address)))
  const now = changed.map((address): Entry => [address, svm.read(address)])
  const then = changed.map((address): Entry => [address, readAt(address, slot)])
  const write = (entries: readonly Entry[]): void => {
    for (const [address, account] of entries) svm.write(address, account)
  }
  write(then)
  try {
    return work()
  } finally {
    write(now)
  }
}

type Entry = readonly [address: string, account: StoredAccount | undefined]
