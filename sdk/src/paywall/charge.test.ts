import { expect, test } from 'vitest'
import { requirementFor } from './charge.ts'
import type { Requirement } from './requirement.ts'

const OF_NO_NAME: Requirement = {
  ...{ scheme: 'exact', network: 'eip155:31337', alias: undefined, asset: '0xa', payTo: '0xb' },
  ...{ amount: '1', decimals: 6, extra: {}, takesPermits: false, takesApprovals: false },
}

test('a payment of version 1 that names no network is for none that has no name there', () => {
  const shown = { x402Version: 1, header: '', payload: { scheme: 'exact' } } as const
  expect(requirementFor(shown, [OF_NO_NAME])).toBe(undefined)
})
