import { expect, test } from 'vitest'
import { openBudget } from './budget.ts'
import type { AssetLimit } from './rules.ts'
import { writePolicy } from './store.ts'
import { openBusyWallet } from './test-busy-wallet.ts'

/** A row is gone through in the index, and in each step of the plan behind it. */
const ROWS_EACH_MAX = 5

test('a send reads no more of what its wallet has spent than the limits of what it moves count', async () => {
  const busy = await openBusyWallet()
  const { database, wallet, network, nowMilliseconds, rowsThrough } = busy
  const { accountId, id: walletId } = wallet

  /** Rows that the statements of a send of native currency go through, but for the one that reads the policy. */
  async function readUnder(limit: Partial<AssetLimit>): Promise<number> {
    const limits = [
      { network, asset: 'native', decimals: 0, ...limit },
      { network, asset: 'token', decimals: 0, perMonth: 1n },
    ]
    const rules = { limits, recipients: null, resources: null }
    let through = 0
    await database.store.inTransaction(accountId, async (tx) => {
      await writePolicy(tx, { accountId, walletId }, rules, nowMilliseconds)
      const looked: Parameters<typeof tx.query>[] = []
      await openBudget(
        {
          query: (name, text, values) => {
            if (name !== 'policies_lock') looked.push([name, text, values])
            return tx.query(name, text, values)
          },
        },
        { wallet, network, assets: ['native'], nowMilliseconds },
      )
      for (const statement of looked) {
        through += await rowsThrough((counting) => counting.query(...statement))
      }
    })
    return through
  }

  try {
    await readUnder({ perHour: 1n })
    await busy.fill()
    const most = busy.spendsWithinAnHour * ROWS_EACH_MAX
    expect(await readUnder({ perPayment: 1n })).toBe(0)
    expect(await readUnder({ perHour: 1n })).toBeLessThan(most)
    await busy.analyze()
    expect(await readUnder({ perHour: 1n })).toBeLessThan(most)
  } finally {
    await busy.close()
  }
})
