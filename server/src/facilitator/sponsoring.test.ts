import { baseUnits } from '@florin/wire/amount.ts'
import { parseNetworkId } from '@florin/wire/network.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AssetProfile } from '../kernel/network-config.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { forgetGas } from './gas-store.ts'
import { isWorthItsGas, reserveSponsoring } from './sponsoring.ts'

const parsed = parseNetworkId('eip155:84532')
if (parsed === undefined) throw new Error('no network')
const network = parsed
const DAY = 86_400_000
const NOON = 20_000 * DAY + DAY / 2
const native = { symbol: 'ETH', asset: 'native', decimals: 18, takesCommitment: true }
const token = { symbol: 'USDC', asset: '0x1', decimals: 6, takesCommitment: true }

describe('the gas budget', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await openTestDatabase()
  })
  afterAll(() => database.close())

  const sponsoring = {
    gasPerAccountPerDay: 1_000n,
    gasPerPayerPerDay: 400n,
    paymentToGasPercent: 100n,
  }
  /** A refusal rolls back, as it does in the claim's transaction. */
  const reserve = async (
    who: { accountId: ReturnType<typeof account>; payer: string },
    fee: bigint,
    at = NOON,
  ): Promise<string | undefined> => {
    try {
      return await database.store.inTransaction('service', async (tx) => {
        const budget = { network, sponsoring }
        const refusal = await reserveSponsoring(
          tx,
          budget,
          who,
          { feeExpected: baseUnits(fee) },
          at,
        )
        if (refusal !== undefined) throw new RangeError(refusal)
        return refusal
      })
    } catch (error) {
      if (error instanceof RangeError) return error.message
      throw error
    }
  }
  const account = () => newId(systemRandom, 'acct')

  test('holds to the unit for the payer, for the account, and begins anew with the day', async () => {
    const accountId = account()
    const payer = newId(systemRandom, 'pay')
    expect(await reserve({ accountId, payer }, 400n)).toBeUndefined()
    expect(await reserve({ accountId, payer }, 1n)).toBe('gas_budget_spent')
    for (const other of ['a', 'b', 'c']) {
      expect(await reserve({ accountId, payer: `${payer}${other}` }, 200n)).toBeUndefined()
    }
    expect(await reserve({ accountId, payer: `${payer}d` }, 1n)).toBe('gas_budget_spent')
    expect(await reserve({ accountId, payer }, 400n, NOON + DAY)).toBeUndefined()
  })

  test('is never passed by forty settlements at the same moment', async () => {
    const accountId = account()
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        reserve({ accountId, payer: `${accountId}${index}` }, 90n),
      ),
    )
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(11)
  })

  test('of days long over is forgotten', async () => {
    await reserve({ accountId: account(), payer: 'old' }, 1n, NOON - 30 * DAY)
    await database.store.inTransaction('service', (tx) => forgetGas(tx, network, NOON))
    const left = await database.store.query(
      'test_left',
      `select from gas_budgets where subject = 'payer:old'`,
    )
    expect(left).toEqual([])
  })
})

describe('a payment against its gas', () => {
  // A coin is worth 2,000 tokens; the gas is a millionth of a coin, so 0.002 tokens.
  const asset = { ...token, unitsPerNative: 2_000_000_000n }
  const fee = 10n ** 12n
  const weigh = (amount: bigint, paymentToGasPercent: bigint, of: AssetProfile = asset) =>
    isWorthItsGas(
      {
        assets: [native, of],
        sponsoring: { gasPerAccountPerDay: 0n, gasPerPayerPerDay: 0n, paymentToGasPercent },
      },
      { asset: of, amount: baseUnits(amount) },
      fee,
    )

  test.each([
    [2_000n, 100n, true],
    [1_999n, 100n, false],
    [20_000n, 1_000n, true],
    [19_999n, 1_000n, false],
    [1n, 0n, true],
  ])('%i units at %i percent: %s', (amount, percent, isWorth) => {
    expect(weigh(amount, percent)).toBe(isWorth)
  })

  test('is let through where nobody said what its asset is worth', () => {
    expect(weigh(1n, 100n, token)).toBe(true)
  })

  test('is refused where the network sponsors nothing', () => {
    expect(isWorthItsGas({ assets: [native] }, { asset, amount: baseUnits(10n) }, fee)).toBe(false)
  })
})
