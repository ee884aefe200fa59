import type { Clock } from '../../kernel/clock.ts'
import type { NetworkConfig } from '../../kernel/network-config.ts'
import type { ExactAuthorization, ExactPayments } from '../exact.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { prepareAuthorization } from './exact-authorize.ts'
import { checkAuthorization } from './exact-check.ts'
import { settlingCall } from './eip3009.ts'
import { draftForWallet, draftSettlement } from './exact-draft.ts'
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
  const drafting = { ...deps, learned }
  const asking = {
    views,
    code,
    transport,
    factories: new Set(config.walletFactories ?? []),
    fresh: false,
  }
  const open = ({ stored, asset }: ExactAuthorization) => reader.restore(stored, asset)

  return {
    // The signature covers both, so it is checked against what the seller expects.
    peek: () => ({ token: null, feePayer: null }),
    read: (payload, demand) => reader.read(payload, demand),
    check: async (authorization) => {
      const found = await checkAuthorization(asking, open(authorization))
      return found.ok ? { ok: true } : found
    },
    draft: async (authorization, settler) => {
      const checked = open(authorization)
      // At the same time: what a verify has believed for some seconds is asked again before money moves.
      const call = settlingCall(checked.authorization)
      const [attempt, check] = await Promise.all([
        checked.isKeySigned ? draftSettlement(drafting, call, settler) : undefined,
        checkAuthorization({ ...asking, fresh: true }, checked),
      ])
      if (!check.ok) return check
      if (check.by !== 'key') return draftForWallet(drafting, checked, check.by, settler)
      if (attempt?.ok === true) {
        attempt.learn()
        return { ok: true, draft: attempt.draft }
      }
      // Somebody may have submitted it between the two.
      const again = await checkAuthorization(asking, checked)
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
