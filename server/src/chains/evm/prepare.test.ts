import { expect, test } from 'vitest'
import type { Address } from '../chain.ts'
import type { ExactAuthorization } from '../exact.ts'
import { prepareSettlement } from './prepare.ts'
import type { PrepareDeps } from './prepare.ts'

/** What a seller is told whose own wallet is to settle for an account with code. */
async function told(permit2?: 'exact'): Promise<unknown> {
  const drafted = { ok: true, draft: { runsPayerCode: true } }
  const deps: Partial<PrepareDeps> = {
    exact: { draft: async () => drafted } as never,
    transport: { read: async () => 0n } as never,
    facts: { latest: async () => ({ height: 1n }) } as never,
  }
  const by = permit2 === undefined ? {} : { permit2 }
  const authorization = by as Partial<ExactAuthorization> as ExactAuthorization
  return prepareSettlement(deps as PrepareDeps, authorization, 'seller' as Address)
}

test('no good payment by Permit2 of an account with code is said to be signed wrongly', async () => {
  expect(await told('exact')).toMatchObject({ ok: false, reason: 'unsupported_payload_type' })
  expect(await told()).toMatchObject({ ok: false, reason: 'invalid_exact_evm_signature' })
})
