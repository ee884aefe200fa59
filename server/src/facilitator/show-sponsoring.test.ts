import { baseUnits } from '@florin/wire/amount.ts'
import { RawJson } from '@florin/wire/raw-json.ts'
import { expect, test } from 'vitest'
import type { Address } from '../chains/chain.ts'
import type { ExactPayments } from '../chains/exact.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { makeWallet, testNetwork } from '../payments/test-lane.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { openTestDatabase } from '../store/test-database.ts'
import { showSponsoring } from './show-sponsoring.ts'
import { reserveSponsoring } from './sponsoring.ts'

test('an account sees its own day of gas to the unit, and a fee payer nobody has looked at has no balance', async () => {
  const database = await openTestDatabase()
  try {
    const { store } = database
    const config = {
      ...testNetwork(84_532),
      sponsoring: {
        gasPerAccountPerDay: 10n ** 18n,
        gasPerPayerPerDay: 10n ** 17n,
        paymentToGasPercent: 100n,
      },
    }
    const wallets = [await makeWallet(store), await makeWallet(store)] as const
    const [seen, unseen] = wallets
    const now = 20_000 * 86_400_000 + 1
    const [own, foreign] = [newId(systemRandom, 'acct'), newId(systemRandom, 'acct')]
    const reserve = (accountId: typeof own, fee: bigint) =>
      store.inTransaction('service', (tx) =>
        reserveSponsoring(
          tx,
          config,
          { accountId, payer: `${accountId}-payer` },
          { feeExpected: baseUnits(fee) },
          now,
        ),
      )
    await reserve(own, 12n)
    await reserve(own, 30n)
    await reserve(foreign, 7_000n)

    const shown = await showSponsoring(
      {
        store,
        clock: { ...systemClock, nowMilliseconds: () => now },
        chains: [scriptedChain(config, { exact: {} as Partial<ExactPayments> as ExactPayments })],
        settlers: { of: () => [...wallets] },
        funds: {
          isLow: (_network, address: Address) => address === unseen.address,
          seen: (_network, address: Address) =>
            address === seen.address ? { amount: 5n, atMilliseconds: now - 1 } : undefined,
        },
      },
      own,
    )

    expect(shown).toEqual({
      day: '2024-10-04',
      networks: [
        expect.objectContaining({
          network: config.network,
          perDayBaseUnits: `${10n ** 18n}`,
          perPayerPerDayBaseUnits: `${10n ** 17n}`,
          reserved: new RawJson('0.000000000000000042'),
          reservedBaseUnits: '42',
          feePayers: [
            {
              address: seen.address,
              balance: new RawJson('0.000000000000000005'),
              balanceBaseUnits: '5',
              isLow: false,
              seenAt: now - 1,
            },
            {
              address: unseen.address,
              balance: null,
              balanceBaseUnits: null,
              isLow: true,
              seenAt: null,
            },
          ],
        }),
      ],
    })
  } finally {
    await database.close()
  }
})
