import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { Chain, TransactionHash, Verdict } from '../chains/chain.ts'
import type { Inspected } from '../chains/self-custody.ts'
import { lookSoon } from '../facilitator/claim-looks-store.ts'
import { findClaim } from '../facilitator/claim-store.ts'
import { claimKeys, findKey } from '../idempotency/store.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'
import type { Build } from './build.ts'
import { buildsMarked, findBuild } from './build-store.ts'
import { selfCustodyOf } from './build-transaction.ts'
import type { BuildDeps } from './build-transaction.ts'
import { badTransaction, readTransaction, transactionBytes } from './read-transaction.ts'
import type { BuiltState } from '../sender/built-records.ts'
import { carriesCall, isSameEffect } from './same-effect.ts'
import { stateOf } from './state-of.ts'
import { approvedBuild } from './submit-approval.ts'
import {
  formName,
  noteVerdict,
  storeSubmission,
  submittedForms,
  takenAs,
} from './submission-store.ts'
import type { Fingerprint } from '../idempotency/fingerprint.ts'

export interface SubmitRequest {
  readonly accountId: AccountId
  readonly chain: Chain
  readonly text: string
  readonly once: { readonly key: string; readonly fingerprint: Fingerprint } | null
}

export interface SubmitResult {
  readonly build: Build
  readonly hash: TransactionHash
  readonly state: BuiltState
  readonly verdict: Verdict
  /** The bytes are the allowance that the build needs before it, and not the build. */
  readonly isApproval: boolean
  /** The same request came before. */
  readonly replayed: boolean
}

const OPERATION = endpoints.submitTransaction.id

/**
 * Sends what was built for the account, once its wallet has signed it: the bytes are stored first. Anything that does something else than
 * was built is refused, so nobody can use our nodes for something of their own. Sending the same bytes again is harmless, so a repeat is
 * sent again. An allowance that a build needs is stored and sent with it, until the build is seen or over, or could not be made in time
 * any more; it moves nothing, so nobody follows what becomes of it.
 */
export async function submitTransaction(
  deps: Pick<BuildDeps, 'store' | 'records' | 'received' | 'clock' | 'killPoint'>,
  request: SubmitRequest,
): Promise<SubmitResult> {
  const { store, clock, killPoint } = deps
  const { accountId, chain, text } = request
  const { network } = chain.config
  await refuseMismatch(deps, request)
  const bytes = transactionBytes(text)
  const inspected = readTransaction(selfCustodyOf(chain), bytes)
  const { hash } = inspected
  if (!inspected.isSigned || hash === null) {
    throw badTransaction('must carry the signature of its sender')
  }
  const { build, state, isApproval, replayed } = await store.inTransaction(
    accountId,
    async (tx) => {
      const asked = { accountId, network }
      const approved = await approvedBuild(tx, asked, selfCustodyOf(chain), bytes, inspected)
      const isApproval = approved !== undefined
      const build = approved ?? (await builtAs(tx, { ...deps, ...request }, bytes, inspected))
      const state = await stateOf(tx, deps, build)
      refuseOver(build, state)
      let replayed = false
      if (request.once !== null) {
        const claim = { accountId, operation: OPERATION, ...request.once }
        const resourceId = build.paymentId
        const [claimed] = await claimKeys(tx, [{ ...claim, resourceId }], clock.nowMilliseconds())
        if (claimed?.kind === 'mismatch') throw new Refusal('IDEMPOTENCY_MISMATCH')
        replayed = claimed?.kind === 'replay'
      }
      refuseSecond(build, hash, await submittedForms(tx, build.paymentId, isApproval))
      // It took effect in another form: these bytes would pay again.
      if (!isApproval && state.hash !== null && state.hash !== hash) {
        throw badTransaction('is another form of what has been paid: do not pay again')
      }
      const { paymentId } = build
      const submission = { network, hash, paymentId, accountId, raw: bytes, isApproval }
      await storeSubmission(tx, submission, clock.nowMilliseconds())
      if (build.proofKey !== null) await lookSoon(tx, [paymentId])
      killPoint('submit.before-commit')
      return { build, state, isApproval, replayed }
    },
  )
  killPoint('submit.after-commit')
  const result = { build, hash, state, isApproval, replayed }
  // It took effect: there is nothing left to send.
  if (!isApproval && state.hash !== null) return { ...result, verdict: { kind: 'known' } }
  const [verdict = { kind: 'unknown', reason: 'no node was asked' } as const] =
    await chain.broadcast([bytes])
  killPoint('submit.after-node')
  await store.inTransaction(accountId, (tx) =>
    noteVerdict(
      tx,
      { network, hash, paymentId: build.paymentId },
      verdict,
      clock.nowMilliseconds(),
    ),
  )
  return { ...result, verdict }
}

/** The account's build that these bytes are the signed form of. Refuses everything else, saying in what it differs. */
async function builtAs(
  tx: Tx,
  request: SubmitRequest & Pick<BuildDeps, 'records' | 'received'>,
  bytes: Uint8Array,
  { sender, nonce, summary, blockhash, proofKey, hash }: Inspected,
): Promise<Build> {
  const { accountId, chain } = request
  const place = sender === null || nonce === null ? null : { sender, nonce }
  const marks = { commitments: summary.commitments, proofKey, place }
  const { network } = chain.config
  const marked = await buildsMarked(tx, accountId, network, marks, limits.buildsPerMarkMax)
  const builds = marked.length === 0 ? await closedSettlement(tx, request, proofKey) : marked
  const own = builds.filter(
    (build) =>
      build.sender === sender &&
      build.nonce === nonce &&
      (build.proofKey === null || build.proofKey === proofKey),
  )
  const selfCustody = selfCustodyOf(chain)
  const alike = own.filter((build) => isSameEffect(selfCustody, build, build.transaction, bytes))
  const same = alike.length > 1 ? await oneOf(tx, request, hash, alike) : alike[0]
  // Bytes that outlive the build could pay after it is proven dead.
  if (same !== undefined) {
    const built = readTransaction(selfCustody, same.transaction)
    if (!callsAsBuilt(same, bytes)) throw badTransaction('does something else than was built')
    if (built.blockhash === blockhash) return same
    throw badTransaction('has another lifetime than what was built: build the payment again')
  }
  if (own.length > 0) throw badTransaction('does something else than what was built')
  throw builds.length > 0
    ? badTransaction('is not signed by the wallet that it was built for, or takes another nonce')
    : badTransaction('is not a transaction that was built for your account')
}

/** A settlement that nobody looks for any more is found by its claim: where transactions have no place, no other mark leads to it. */
async function closedSettlement(
  tx: Tx,
  { accountId, chain }: SubmitRequest,
  proofKey: Inspected['proofKey'],
): Promise<readonly Build[]> {
  if (proofKey === null) return []
  const claim = await findClaim(tx, chain.config.network, proofKey)
  const build = claim && (await findBuild(tx, accountId, claim.paymentId))
  return build === undefined ? [] : [build]
}

/**
 * Of builds that nothing on chain tells apart: the one that these bytes have paid, else the one that they were taken as before, else the newest
 * that was not given up.
 */
async function oneOf(
  tx: Tx,
  { accountId, chain, ...deps }: SubmitRequest & Pick<BuildDeps, 'records' | 'received'>,
  hash: TransactionHash | null,
  alike: readonly Build[],
): Promise<Build | undefined> {
  if (hash === null) return alike[0]
  const stood: { build: Build; state: BuiltState }[] = []
  for (const build of alike) stood.push({ build, state: await stateOf(tx, deps, build) })
  const paid = stood.find(({ state }) => state.hash === hash)
  const taken = await takenAs(tx, chain.config.network, [hash])
  const before = taken.get(formName(accountId, hash))
  return (
    paid?.build ??
    alike.find(({ paymentId }) => paymentId === before) ??
    stood.find(({ state }) => !state.abandoned)?.build ??
    alike[0]
  )
}

/** A summary says of a market's call only that there is one: there the data itself is compared (EVM; on Solana a maker has signed it). */
function callsAsBuilt({ tradeId, facts: { unsigned } }: Build, bytes: Uint8Array): boolean {
  if (tradeId === null || unsigned === null) return true
  return carriesCall(unsigned, bytes)
}

/** A key that stands for another body is refused before anything else is said of this one. */
async function refuseMismatch(
  { store }: Pick<BuildDeps, 'store'>,
  { accountId, once }: SubmitRequest,
): Promise<void> {
  if (once === null) return
  const claim = await findKey(store, { accountId, operation: OPERATION, ...once })
  if (claim?.kind === 'mismatch') throw new Refusal('IDEMPOTENCY_MISMATCH')
}

/** Of forms that share no place, more than one could be included: each would pay. */
function refuseSecond(
  { nonce }: Build,
  hash: TransactionHash,
  forms: readonly TransactionHash[],
): void {
  if (forms.includes(hash)) return
  if (nonce === null && forms.length > 0) {
    throw badTransaction('is another form of what was sent already: both could pay')
  }
  if (forms.length >= limits.submissionsPerBuildMax) {
    throw badTransaction(`at most ${limits.submissionsPerBuildMax} signed forms of one build`)
  }
}

function refuseOver({ paymentId }: Build, { status }: BuiltState): void {
  if (status !== 'expired' && status !== 'failed') return
  throw new Refusal('TRANSACTION_FAILED', {
    message: 'This build can take no effect any more: build the payment again.',
    details: { paymentId, status },
  })
}

/** What a caller may know of what the nodes said. */
export function verdictFields(verdict: Verdict): {
  accepted: boolean | null
  reason: string | null
} {
  switch (verdict.kind) {
    case 'accepted':
    case 'known':
      return { accepted: true, reason: null }
    case 'unknown':
      return { accepted: null, reason: 'unknown' }
    // Said of a transaction that is mined already, too: this one may be it, and not followed yet.
    case 'nonce_too_low':
    case 'replacement_underpriced':
      return { accepted: null, reason: verdict.kind }
    case 'rejected':
      return { accepted: false, reason: verdict.reason }
    case 'nonce_too_high':
      return { accepted: false, reason: verdict.kind }
    default:
      return verdict satisfies never
  }
}
