import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { AwaitedApproval, ExactCheck } from '../exact.ts'
import type { CheckDeps } from './exact-check.ts'
import { saysYes, wouldSucceed } from './exact-wallet.ts'
import { balanceView, blockTimeView } from './multicall.ts'
import { allowanceView, isNonceUsed, nonceView, permit2Call, proxyView } from './permit2.ts'
import type { CheckedPermit2 } from './permit2-read.ts'
import type { ViewPool } from './view-pool.ts'
import { checkApproval } from './permit2-approval-check.ts'
import type { ApprovalCheckDeps } from './permit2-approval-check.ts'

/** A settlement needs time to be included: what ends within it is refused. Source: the reference's margin. */
const MARGIN_SECONDS = 6n
const NO_PERMIT2 = -1n

/** What a settlement of a plain key may take: the transfer, Permit2's own work and a permit, each for a new holder and where new state is dear (decision 0113). */
const KEY_GAS_MAX = 650_000n
/** The same for an account with code, its word included. */
const CODE_GAS_MAX = 800_000n

/** How it can be settled: whether the owner's permit must come first, whether code of the owner's runs, and the most gas it may take. */
export interface Permit2Found {
  readonly ok: true
  readonly withPermit: boolean
  readonly runsPayerCode: boolean
  readonly gasMax: bigint
  /** It settles as soon as this is in a block, and not before. */
  readonly approval?: AwaitedApproval
}

/** What a check asks by. */
export type Permit2CheckDeps = Pick<CheckDeps, 'code' | 'transport' | 'fresh' | 'wasJudged'> & {
  readonly views: ViewPool
  /** Left out: approvals of payers are not submitted. */
  readonly approvals?: ApprovalCheckDeps | undefined
}

export type Permit2Check = Permit2Found | Exclude<ExactCheck, { ok: true }>

/**
 * Asks whether Permit2 would move the money now: one round trip of views. The call itself is run as well where views do not say it: where a
 * permit has to come first, and where the owner's code answers for the signature, since it may answer Permit2 otherwise. A permit that is
 * not needed is left alone: somebody may have submitted it before.
 */
export async function checkPermit2(
  { views, code, transport, fresh, wasJudged, approvals }: Permit2CheckDeps,
  { authorization, isKeySigned, digest }: CheckedPermit2,
): Promise<Permit2Check> {
  const { scheme, from, token, value, deadlineSeconds, validAfterSeconds } = authorization
  const [hasCode, [bits = 0n, balance = 0n, allowance = 0n, proxy = 0n, now = 0n]] =
    await Promise.all([
      fresh || !isKeySigned ? code.hasCodeNow(from) : code.hasCode(from),
      views.read([
        nonceView(authorization, NO_PERMIT2),
        balanceView(from, token),
        allowanceView(authorization),
        proxyView(scheme),
        blockTimeView,
      ]),
    ])
  const isUsed = bits !== NO_PERMIT2 && isNonceUsed(authorization, bits)
  const no = (reason: Reason, isProven = true): Exclude<ExactCheck, { ok: true }> => ({
    ok: false,
    reason,
    ...(isUsed && isProven ? { isUsed: true } : {}),
  })
  const isSigned = hasCode ? await saysYes(transport, authorization, digest()) : isKeySigned
  if (!isSigned) return no('invalid_permit2_signature', isKeySigned || wasJudged === true)
  // Before everything that a fresh payment would mend: whoever hears of that asks the payer for one.
  if (isUsed) return no('permit2_invalid_nonce')
  if (deadlineSeconds < now + MARGIN_SECONDS) return no('permit2_deadline_expired')
  if (validAfterSeconds > now) return no('permit2_not_yet_valid')
  const { permit, approval } = authorization
  const lacksAllowance = allowance < value
  // An account with code may pass on what it is given before its approval is mined: it approves by its own money.
  const awaits = lacksAllowance && !hasCode && approvals !== undefined ? approval : undefined
  const withPermit = lacksAllowance && awaits === undefined
  if (withPermit && permit !== undefined && permit.deadlineSeconds < now + MARGIN_SECONDS) {
    return no('eip2612_deadline_expired')
  }
  if (bits === NO_PERMIT2 || proxy === 0n) return no('permit2_proxy_not_deployed')
  if (balance < value) return no('permit2_insufficient_balance')
  if (withPermit && permit === undefined) return no('permit2_allowance_required')
  const gasMax = hasCode ? CODE_GAS_MAX : KEY_GAS_MAX
  const found = { ok: true, withPermit, runsPayerCode: hasCode, gasMax } as const
  if (awaits !== undefined && approvals !== undefined) {
    const judged = await checkApproval(approvals, authorization, awaits, gasMax)
    if (judged.kind === 'refused') return judged.refusal
    return judged.kind === 'approved' ? found : { ...found, approval: judged.approval }
  }
  if (!withPermit && !hasCode) return found
  const call = permit2Call(authorization, { withPermit })
  const by = authorization.facilitator ?? undefined
  if (await wouldSucceed(transport, call, gasMax, by)) return found
  return no(withPermit ? 'permit2_allowance_required' : 'permit2_simulation_failed')
}
