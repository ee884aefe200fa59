import { NodeFailure } from '../chain.ts'
import type { Address } from '../chain.ts'
import { settlingCall } from './eip3009.ts'
import { checkAuthorization } from './exact-check.ts'
import type { CheckDeps, Checked } from './exact-check.ts'
import { knownGood } from './key-signature.ts'
import { draftSettlement, learnedGas } from './exact-draft.ts'
import type { DraftAttempt } from './exact-draft.ts'
import type { PayerCode } from './payer-code.ts'

type JudgeDeps = Omit<CheckDeps, 'fresh'> & Parameters<typeof draftSettlement>[0]

/** What was found about a payment, and what would settle it by its payer's key. */
export interface Judged {
  readonly check: Awaited<ReturnType<typeof checkAuthorization>>
  /** Undefined where no plain key signed it. */
  readonly attempt: DraftAttempt | undefined
}

/**
 * Whether a payment settles, asked of the chain before money moves: what a verify has believed for some seconds is asked again. A token that
 * is known answers all of a check by running the call: signed, unused, in time, and the payer has the money. So of what nobody has judged yet
 * (`isUnjudged`) the signature is looked at only when that does not run, or would run whatever it is. Throws NodeFailure.
 */
export async function judge(
  deps: JudgeDeps,
  checked: Checked & { readonly isUnjudged?: true },
  settler: Address,
): Promise<Judged> {
  const { from, value } = checked.authorization
  const call = settlingCall(checked.authorization)
  const isByKey = checked.isUnjudged === true || checked.signature.isGood()
  if (!isByKey || learnedGas(deps, call.to) === undefined) {
    const [attempt, check] = await Promise.all([
      isByKey ? draftSettlement(deps, call, settler) : undefined,
      checkAuthorization({ ...deps, fresh: true }, checked),
    ])
    return { check, attempt }
  }
  // Together, so that both are asked of one node.
  const [{ hasCode, hasToken }, attempt] = await Promise.all([
    readCodes(deps.code, from, call.to),
    draftSettlement(deps, call, settler),
  ])
  // An estimate proves nothing: the node that gave it may not be the one that shows the token's code.
  if (!attempt.ok || !attempt.wasRun || !hasToken) {
    const check = await checkAuthorization({ ...deps, fresh: false }, checked, { hasCode })
    // Settled a moment ago, so it is there: what another node made of that one's silence is no word on the payment.
    if (check.ok && !hasToken) throw new NodeFailure('a node shows no code of a listed token')
    return { check, attempt }
  }
  const isProven = !hasCode
  const check = await checkAuthorization(
    { ...deps, fresh: false },
    isProven ? { ...checked, signature: knownGood(checked.signature) } : checked,
    { hasCode, standing: { used: 0n, balance: value, nowSeconds: attempt.nowSeconds } },
  )
  return { check, attempt }
}

/** Whether the payer has code; and the token, without which everything would run. */
async function readCodes(
  code: PayerCode,
  from: Address,
  token: Address,
): Promise<{ readonly hasCode: boolean; readonly hasToken: boolean }> {
  const [hasCode, hasToken] = await Promise.all([code.hasCodeNow(from), code.hasCodeNow(token)])
  return { hasCode, hasToken }
}
