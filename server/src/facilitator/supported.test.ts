import { expect, test } from 'vitest'
import type { Address } from '../chains/chain.ts'
import type { ExactPayments } from '../chains/exact.ts'
import type { Wallet } from '../custody/wallet.ts'
import { testNetwork } from '../payments/test-lane.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { supported } from './supported.ts'

test('the keys that can pay are named for upto in turn: none of them settles for everybody', () => {
  const config = { ...testNetwork(84_532), permit2: ['exact', 'upto'] as const }
  const chain = scriptedChain(config, { exact: {} as Partial<ExactPayments> as ExactPayments })
  const keys = ['first', 'low', 'third'].map((address) => ({ address: address as Address }))
  const named = [0, 1, 2, 3].map((turn) => {
    const { kinds } = supported({
      chains: [chain],
      settlers: { of: () => keys as Partial<Wallet>[] as Wallet[] },
      isLow: (_, address) => address === 'low',
      isUsable: () => true,
      turn,
    })
    return kinds.find(({ scheme }) => scheme === 'upto')
  })
  expect(named).toMatchObject(
    ['first', 'third', 'first', 'third'].map((facilitatorAddress) => ({
      extra: { facilitatorAddress },
    })),
  )
})
