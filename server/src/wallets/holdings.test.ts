import { describe, expect, test } from 'vitest'
import { NodeFailure } from '../chains/chain.ts'
import type { Address } from '../chains/chain.ts'
import { openDirectory } from '../chains/directory.ts'
import type { Wallet } from '../custody/wallet.ts'
import { systemClock } from '../kernel/clock.ts'
import { nativeUnitsPerUnit } from '../kernel/currency-tokens.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { testNetwork, TOKEN } from '../payments/test-lane.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { availableOf, holdingsOf } from './holdings.ts'
import { holdingFacts } from './view.ts'

describe('what a wallet may spend', () => {
  test.each([
    ['nothing under way', { chain: 100n, held: 0n, books: 100n }, 100n],
    ['money that arrived and is in no book yet', { chain: 150n, held: 0n, books: 100n }, 150n],
    ['a wallet without books', { chain: 7n, held: 0n, books: 0n }, 7n],
    ['a payment that no block holds', { chain: 100n, held: 60n, books: 40n }, 40n],
    ['a payment that is mined and not final', { chain: 45n, held: 60n, books: 40n }, 40n],
    ['money that somebody else took', { chain: 10n, held: 0n, books: 100n }, 10n],
    ['everything promised', { chain: 100n, held: 100n, books: 0n }, 0n],
    ['a network that took of what is promised', { chain: 101n, held: 111n, books: -10n }, 0n],
    ['a chain that is behind its books', { chain: 0n, held: 60n, books: 40n }, 0n],
  ])('with %s', (_, { chain, held, books }, available) => {
    expect(availableOf(chain, held, books)).toBe(available)
  })
})

test('money that a token tells as well is one holding, with what the token says of it beside', async () => {
  const { network, assets, ...config } = testNetwork(5_042)
  const named = assets.map((each) =>
    each.asset === TOKEN ? { ...each, isCurrency: true as const } : each,
  )
  const asked: string[] = []
  const chain = scriptedChain(
    { ...config, network, assets: named },
    {
      parseAddress: (text) => text as Address,
      balances: async (_, wanted) => {
        asked.push(...wanted.map(({ asset }) => asset))
        return { height: 9n, amounts: wanted.map(() => 2_000_000_900_000_000_000n) }
      },
    },
  )
  const wallet: Wallet = {
    ...{ id: newId(systemRandom, 'wal'), accountId: newId(systemRandom, 'acct'), family: 'evm' },
    ...{ address: `0x${'a'.repeat(40)}` as Address, label: null, sandboxInstance: null },
    ...{ sealedDataKey: new Uint8Array(), sealedPrivateKey: new Uint8Array() },
    createdAtMilliseconds: 0,
  }
  const unit = nativeUnitsPerUnit(6)
  const books = [
    { network, asset: 'native', available: 1_500_000n * unit - 1n, held: 500_000n * unit + 1n },
    // Of before the token was known to be the currency.
    { network, asset: TOKEN, available: 9n, held: 0n },
  ]
  const away = scriptedChain(chain.config, {
    parseAddress: (text) => text as Address,
    balances: async () => {
      throw new NodeFailure('away')
    },
  })
  const lost = { directory: openDirectory([away]), clock: systemClock }
  expect((await holdingsOf(lost, wallet, [])).unread.map(({ asset }) => asset)).toEqual([
    'native',
    TOKEN,
  ])
  const directory = openDirectory([chain])
  const { held, unread } = await holdingsOf({ directory, clock: systemClock }, wallet, books)
  expect(unread).toEqual([])
  expect(asked).toEqual(['native'])
  expect(held.map(holdingFacts)).toMatchObject([
    {
      asset: 'native',
      amountBaseUnits: '2000000900000000000',
      heldBaseUnits: `${500_000n * unit + 1n}`,
      alsoAs: [
        {
          asset: TOKEN,
          amountBaseUnits: '2000000',
          heldBaseUnits: '500001',
          availableBaseUnits: '1500000',
        },
      ],
    },
  ])
})
