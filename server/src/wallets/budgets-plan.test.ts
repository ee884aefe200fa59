import { expect, test } from 'vitest'
import { openBusyWallet } from '../policies/test-busy-wallet.ts'
import { budgetsOf } from './budgets.ts'

/** A row is gone through in the index, and in each step of the plan behind it, once for what counts and once for what is held of it. */
const ROWS_EACH_MAX = 10

test('a look at what is left of a budget reads no more of what the wallet has spent than its limits count', async () => {
  const busy = await openBusyWallet()
  const { wallet, network, nowMilliseconds, rowsThrough } = busy
  const limits = [{ network, asset: 'native', decimals: 0, perHour: 1n }]
  const look = () =>
    rowsThrough((tx) =>
      budgetsOf(tx, wallet, { limits, recipients: null, resources: null }, nowMilliseconds),
    )
  try {
    await look()
    await busy.fill()
    const most = busy.spendsWithinAnHour * ROWS_EACH_MAX
    expect(await look()).toBeLessThan(most)
    await busy.analyze()
    expect(await look()).toBeLessThan(most)
  } finally {
    await busy.close()
  }
})
