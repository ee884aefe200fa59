import { isPermit2 } from '@florin/wire/x402/permit2-payload.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { NetworkConfig } from '../../kernel/network-config.ts'
import type { ExactAuthorization, ExactPayments } from '../exact.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { prepareAuthorization } from './exact-authorize.ts'
import { checkAuthorization } from './exact-check.ts'
import { settlingCall } from './eip3009.ts'
import { draftForWallet, draftSettlement } from './exact-draft.ts'
import type { LearnedGas } from './exact-draft.ts'
import { findUse, openFinalViews, readFinalState } from './exact-final.ts'
import { openExactReader } from './exact-read.ts'
import { shareSettlements } from './exact-share.ts'
import { openPayerCode } from './payer-code.ts'
import { openPermit2 } from './permit2-payments.ts'
import { isPermit2Stored } from './permit2-read.ts'
import { openViewPool } from './view-pool.ts'

/** What sellers call payments by Permit2 in `extra`. Source: x402 v2, `exact` on EVM. */
const METHOD = 'permit2'

/**
 * x402 `exact` by EIP-3009: the payer signs, whoever likes submits. What the payer signed for Permit2 goes another way, told by the payload
 * and by what was stored of it.
 */
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
  const finalViews = openFinalViews(transport, clock, config.finality)
  const drafting = { ...deps, learned, finalViews }
  const asking = {
    views,
    code,
    transport,
    factories: new Set(config.walletFactories ?? []),
    fresh: false,
  }
  const open = ({ stored, asset }: ExactAuthorization) => reader.restore(stored, asset)
  const permit2 = openPermit2(drafting, asking)

  return {
    // The signature covers both, so it is checked against what the seller expects.
    peek: () => ({ token: null, feePayer: null }),
    read: (payload, demand) => {
      if (demand.scheme === 'upto') {
        return isPermit2(payload)
          ? permit2.read(payload, demand)
          : { ok: false, reason: 'unsupported_payload_type', payer: null }
      }
      return demand.x402Version === 2 && isPermit2(payload)
        ? permit2.read(payload, demand)
        : reader.read(payload, demand)
    },
    check: async (authorization) => {
      if (isPermit2Stored(authorization.stored)) return permit2.check(authorization)
      const { wasJudged } = authorization
      const found = await checkAuthorization({ ...asking, wasJudged }, open(authorization))
      return found.ok ? { ok: true } : found
    },
    draft: async (authorization, settler) => {
      if (isPermit2Stored(authorization.stored)) return permit2.draft(authorization, settler)
      const checked = open(authorization)
      const { wasJudged } = authorization
      // At the same time: what a verify has believed for some seconds is asked again before money moves.
      const call = settlingCall(checked.authorization)
      const [attempt, check] = await Promise.all([
        checked.isKeySigned ? draftSettlement(drafting, call, settler) : undefined,
        checkAuthorization({ ...asking, wasJudged, fresh: true }, checked),
      ])
      if (!check.ok) return check
      if (check.by !== 'key') return draftForWallet(drafting, checked, check.by, settler)
      if (attempt?.ok === true) {
        attempt.learn()
        return { ok: true, draft: attempt.draft }
      }
      // Somebody may have submitted it between the two.
      const again = await checkAuthorization({ ...asking, wasJudged }, checked)
      return again.ok
        ? { ok: false, reason: 'invalid_exact_evm_transaction_simulation_failed' }
        : again
    },
    authorize: async (order) => {
      const { scheme = 'exact', extra } = order
      const isByPermit2 = scheme === 'upto' || extra['assetTransferMethod'] === METHOD
      if (isByPermit2 && config.permit2?.includes(scheme) === true) return permit2.authorize(order)
      return scheme === 'upto'
        ? { ok: false, reason: 'method' }
        : prepareAuthorization({ chainId, reader }, order)
    },
    share: (waiting) => shareSettlements(deps, waiting),
    finalState: (authorization) =>
      isPermit2Stored(authorization.stored)
        ? permit2.finalState(authorization)
        : readFinalState(finalViews, open(authorization).authorization),
    findForeign: (authorization, sinceHeight) =>
      isPermit2Stored(authorization.stored)
        ? permit2.findForeign(authorization, sinceHeight)
        : findUse(transport, open(authorization).authorization, sinceHeight),
  }
}
