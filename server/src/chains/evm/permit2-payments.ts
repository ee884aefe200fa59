import type { ExactAuthorization, ExactPayments } from '../exact.ts'
import type { NetworkConfig } from '../../kernel/network-config.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { draftSettlement } from './exact-draft.ts'
import type { LogLooks } from './log-ranges.ts'
import { permit2Call } from './permit2.ts'
import { preparePermit2 } from './permit2-authorize.ts'
import { checkPermit2 } from './permit2-check.ts'
import type { Permit2CheckDeps } from './permit2-check.ts'
import { findPermit2Use, permit2UseView, readPermit2State } from './permit2-final.ts'
import { openPermit2Reader } from './permit2-read.ts'
import { usedByBlock } from './used-by.ts'
import type { ViewPool } from './view-pool.ts'

/** Payments by Permit2: the owner signs for a proxy of x402, and whoever likes, or with `upto` the key that it names, submits. */
export function openPermit2(
  drafting: Parameters<typeof draftSettlement>[0] & {
    readonly transport: Transport
    readonly config: NetworkConfig
    readonly chainId: bigint
    readonly finalViews: ViewPool
    readonly looks: LogLooks
  },
  asking: Permit2CheckDeps,
): Pick<ExactPayments, 'read' | 'check' | 'draft' | 'finalState' | 'findForeign'> &
  Required<Pick<ExactPayments, 'authorize' | 'usedBy'>> {
  const { transport, config, chainId, finalViews, looks } = drafting
  const isSponsored = config.approvalSponsoring !== undefined
  const reader = openPermit2Reader(chainId, config.permit2 ?? [], isSponsored)
  const checking = { ...asking, approvals: isSponsored ? { transport, config } : undefined }
  const open = ({ stored }: ExactAuthorization) => reader.restore(stored)

  return {
    read: reader.read,
    check: async (authorization) => {
      const { wasJudged } = authorization
      const found = await checkPermit2({ ...checking, wasJudged }, open(authorization))
      if (!found.ok) return found
      return { ok: true, ...(found.approval === undefined ? {} : { approval: found.approval }) }
    },
    draft: async (authorization, settler) => {
      const checked = open(authorization)
      const { wasJudged } = authorization
      const check = await checkPermit2({ ...checking, wasJudged, fresh: true }, checked)
      if (!check.ok) return check
      const { runsPayerCode, gasMax, approval } = check
      if (approval !== undefined)
        return { ok: false, reason: 'permit2_allowance_required', approval }
      const call = permit2Call(checked.authorization, check)
      const attempt = await draftSettlement(drafting, call, settler, gasMax)
      if (attempt.ok) {
        return {
          ok: true,
          draft: { ...attempt.draft, ...(runsPayerCode ? { runsPayerCode } : {}) },
        }
      }
      // Somebody may have submitted it, or drawn on the allowance, between the two.
      const again = await checkPermit2({ ...checking, wasJudged }, checked)
      return again.ok ? { ok: false, reason: 'permit2_simulation_failed', isDisputed: true } : again
    },
    authorize: (order) => preparePermit2({ transport, chainId, reader }, order),
    usedBy: (authorization, block) =>
      usedByBlock(
        { views: asking.views, transport },
        permit2UseView(open(authorization).authorization),
        block,
      ),
    finalState: (authorization) => readPermit2State(finalViews, open(authorization).authorization),
    findForeign: (authorization, sinceHeight) =>
      findPermit2Use(
        { transport, looks },
        open(authorization).authorization,
        sinceHeight,
        authorization.isOurs,
      ),
  }
}
