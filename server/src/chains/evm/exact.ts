import type { Clock } from '../../kernel/clock.ts'
import type { NetworkConfig } from '../../kernel/network-config.ts'
import type { ExactAuthorization, ExactPayments } from '../exact.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { prepareAuthorization } from './exact-authorize.ts'
import { checkAuthorization } from './exact-check.ts'
import { draftSettlement } from './exact-draft.ts'
import type { LearnedGas } from './exact-draft.ts'
import { findUse, readFinalState } from './exact-final.ts'
import { openExactReader } from './exact-read.ts'
import { shareSettlements } from './exact-share.ts'
import { openPayerCode } from './payer-code.ts'
import { openViewPool } from './view-pool.ts'

/** x402 `exact` by EIP-3009: the payer signs, whoever likes submits. */
export function openExact(deps: {
  readonly transport: Transport
  readonly config: NetworkConfig
  readonly chainId: bigint
  readonly clock: Clock
}): ExactPayments {
  const { transport, config, chainId, clock } = deps
  const reader = openExactReader(chainId)
  const views = openViewPool(transport, clock)
  const code = openPayerCode(transport, clock)
  const learned: LearnedGas = new Map()
  const open = ({ stored, asset }: ExactAuthorization) => reader.restore(stored, asset)

  return {
    // The signature covers both, so it is checked against what the seller expects.
    peek: () => ({ token: null, feePayer: null }),
    read: (payload, demand) => reader.read(payload, demand),
    check: async (authorization) =>
      checkAuthorization({ views, code, fresh: false }, open(authorization)),
    draft: async (authorization, settler) => {
      const checked = open(authorization)
      // At the same time: what a verify has believed for some seconds is asked again before money moves.
      const [attempt, check] = await Promise.all([
        draftSettlement({ ...deps, learned }, checked.authorization, settler),
        checkAuthorization({ views, code, fresh: true }, checked),
      ])
      if (!check.ok) return check
      if (attempt.ok) {
        attempt.learn()
        return { ok: true, draft: attempt.draft }
      }
      // Somebody may have submitted it between the two.
      const again = await checkAuthorization({ views, code, fresh: false }, checked)
      return again.ok
        ? { ok: false, reason: 'invalid_exact_evm_transaction_simulation_failed' }
        : again
    },
    authorize: async (order) => prepareAuthorization({ chainId, reader }, order),
    share: (waiting) => shareSettlements(deps, waiting),
    finalState: (authorization) =>
      readFinalState(transport, config.finality, open(authorization).authorization),
    findForeign: (authorization, sinceHeight) =>
      findUse(transport, open(authorization).authorization, sinceHeight),
  }
}
