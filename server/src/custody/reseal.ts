import type { Tx } from '../store/postgres.ts'
import type { KeyWrapper } from './key-wrapper.ts'

/** Under which key things are sealed, and under which they are to be. */
export interface KeyChange {
  readonly before: KeyWrapper
  readonly after: KeyWrapper
}

/** Seals all that a room keeps sealed under the key-encryption key anew, in this transaction. Gives how many. Throws SealBroken. */
export type Reseal = (tx: Tx, keys: KeyChange) => Promise<number>

/** What a wrapped key is under the other key; bound to the same data. Throws SealBroken. */
export async function rewrap(
  { before, after }: KeyChange,
  wrapped: Uint8Array,
  additionalData: Uint8Array,
): Promise<Uint8Array> {
  const opened = await before.unwrap(wrapped, additionalData)
  try {
    return await after.wrap(opened, additionalData)
  } finally {
    opened.erase()
  }
}

const BATCH_ROWS = 1_000

/** Seals the rows of a table anew, by rising id and a thousand at a time. Gives how many. */
export async function resealInBatches<Row extends { readonly id: string }>(
  read: (behind: string, rowsMax: number) => Promise<readonly Row[]>,
  reseal: (rows: readonly Row[]) => Promise<void>,
): Promise<number> {
  let sealedAnew = 0
  let behind = ''
  // Ends with the table: what is made meanwhile waits for the key's row (requireCurrentKey).
  for (;;) {
    const rows = await read(behind, BATCH_ROWS)
    const last = rows.at(-1)
    if (last === undefined) return sealedAnew
    await reseal(rows)
    sealedAnew += rows.length
    behind = last.id
  }
}
