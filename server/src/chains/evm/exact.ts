import { isPermit2 } from '@florin/wire/x402/permit2-payload.ts'
import type { Clock } from '../../kernel/clock.ts'
import { openSpareTurns } from '../../kernel/spare-turns.ts'
import type { NetworkConfig } from '../../kernel/network-config.ts'
import type { ExactAuthorization, ExactPayments } from '../exact.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { prepareAuthorization } from './exact-authorize.ts'
import { checkAuthorization } from './exact-check.ts'
import { draftForWallet, learnedGas } from './exact-draft.ts'
import type { LearnedGas } from './exact-draft.ts'
import { findUse, openFinalViews, readFinalState, useView } from './exact-final.ts'
import { judge } from './exact-judge.ts'
import { openExactReader } from './exact-read.ts'
import { shareSettlements } from './exact-share.ts'
import { openLogLooks } from './log-ranges.ts'
import { openPayerCode } from './payer-code.ts'
import { openPermit2 } from './permit2-payments.ts'
import { isPermit2Stored } from './permit2-read.ts'
import { openSettlementRuns } from './settlement-runs.ts'
import { openSettlerFacts } from './settler-facts.ts'
import { openStandingPool } from './standing-pool.ts'
import { usedByBlock } from './used-by.ts'
import { openViewPool } from './view-pool.ts'

/** After a signature that was nobody's, all are looked at before a node is asked, for so long. */
const DOUBT_MILLISECONDS = 10_000
const FORGED = 'invalid_exact_evm_signature'
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
  const code = openPayerCode(transport, clock)
  const learned: LearnedGas = new Map()
  const finalViews = openFinalViews(transport, clock, config.finality)
  const settlerFacts = openSettlerFacts(transport)
  const settlementRuns = openSettlementRuns(transport, clock)
  const looks = openLogLooks()
  const drafting = { ...deps, learned, finalViews, settlerFacts, settlementRuns, looks }
  const inSpareTurns = openSpareTurns(clock)
  /** When somebody last showed what nobody signed, to be verified or to be settled: neither spoils the other's way. */
  const doubtedAt = { check: Number.NEGATIVE_INFINITY, draft: Number.NEGATIVE_INFINITY }
  const reader = openExactReader(chainId, (by, token) => {
    const age = clock.nowMilliseconds() - doubtedAt[by]
    if (age >= 0 && age < DOUBT_MILLISECONDS) return false
    return by === 'check' || learnedGas(drafting, token) !== undefined
  })
  const asking = {
    standings: openStandingPool(transport, clock),
    code,
    transport,
    factories: new Set(config.walletFactories ?? []),
    fresh: false,
  }
  const open = ({ stored, asset }: ExactAuthorization) => reader.restore(stored, asset)
  const views = openViewPool(transport, clock)
  const permit2 = openPermit2(drafting, { ...asking, views })

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
      const { wasJudged, isUnjudged } = authorization
      const checked = open(authorization)
      const found = await checkAuthorization(
        { ...asking, wasJudged, inSpareTurns: isUnjudged && inSpareTurns },
        checked,
      )
      if (found.ok) return { ok: true }
      if (isUnjudged === true && wasJudged === undefined && found.reason === FORGED) {
        doubtedAt.check = clock.nowMilliseconds()
      }
      return found
    },
    draft: async (authorization, settler) => {
      if (isPermit2Stored(authorization.stored)) return permit2.draft(authorization, settler)
      const checked = open(authorization)
      const { wasJudged, isUnjudged } = authorization
      const { check, attempt } = await judge(
        { ...drafting, ...asking, wasJudged },
        isUnjudged === true ? { ...checked, isUnjudged } : checked,
        settler,
      )
      if (isUnjudged === true && !check.ok && !checked.signature.isGood()) {
        // Whoever sends what nobody signed has no more of it run. A wallet may have signed what its call does not run for within the usual gas.
        doubtedAt.draft = clock.nowMilliseconds()
      }
      if (!check.ok) return check
      if (check.by !== 'key') return draftForWallet(drafting, checked, check.by, settler)
      if (attempt?.ok === true) {
        attempt.learn()
        return { ok: true, draft: attempt.draft }
      }
      // Somebody may have submitted it between the two.
      const again = await checkAuthorization({ ...asking, wasJudged }, checked)
      return again.ok
        ? { ok: false, reason: 'invalid_exact_evm_transaction_simulation_failed', isDisputed: true }
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
    usedBy: (authorization, block) =>
      isPermit2Stored(authorization.stored)
        ? permit2.usedBy(authorization, block)
        : usedByBlock({ views, transport }, useView(open(authorization).authorization), block),
    finalState: (authorization) =>
      isPermit2Stored(authorization.stored)
        ? permit2.finalState(authorization)
        : readFinalState(finalViews, open(authorization).authorization),
    findForeign: (authorization, sinceHeight) =>
      isPermit2Stored(authorization.stored)
        ? permit2.findForeign(authorization, sinceHeight)
        : findUse(
            { transport, looks },
            open(authorization).authorization,
            sinceHeight,
            authorization.isOurs,
          ),
  }
}
