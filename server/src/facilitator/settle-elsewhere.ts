import { NodeFailure } from '../chains/chain.ts'
import { newId } from '../kernel/id.ts'
import type { Log } from '../kernel/log.ts'
import type { Beginning } from './beginning.ts'
import { beginElsewhere } from './claim-alone.ts'
import { isSameClaim, isShown, notShownReason } from './claim.ts'
import type { Claim } from './claim.ts'
import { giveTurnBack, isTurnTaken, takeTurn } from './claim-store.ts'
import { refused, takeIn } from './intake.ts'
import type { Intake } from './intake.ts'
import { joinClaim } from './join.ts'
import type { Joined } from './join.ts'
import { isOwed } from './owed.ts'
import { findPaidElsewhere } from './paid-elsewhere.ts'
import { remoteBody } from './remote-body.ts'
import type { RemoteClient, RemoteWord } from './remote.ts'
import type { Remotes } from './remotes.ts'
import { duplicateMessage } from './duplicate-message.ts'
import { digestOf } from './terms-digest.ts'
import type { SettleDeps, SettleOrder, Settled } from './settling.ts'
import { holdClaims } from './soft-claim-store.ts'
import { verifyPayment } from './verify.ts'
import { NODE_WAITS_MAX, waitForNode } from './wait-for-node.ts'
import { yieldToOther } from './yield-claim.ts'

export interface ElsewhereDeps extends SettleDeps {
  readonly remotes: Remotes
  readonly log: Log
}

export interface ElsewhereOrder extends SettleOrder {
  readonly remote: RemoteClient
}

/** How long the chain is left alone between two looks for what the other facilitator sent. */
const LOOK_MILLISECONDS_MAX = 2_000
const LOOK_MILLISECONDS_MIN = 100
/** And the longest such time, while nobody can say what became of it: a payer can bring that about, and each look reads much of the chain. */
const UNKNOWN_LOOK_MILLISECONDS_MAX = 8_000
/** How long one that was not reached is left alone: all who wait for it come back. */
const UNREACHED_MILLISECONDS = 2_000
/** So often has the chain to show it unused, a block apart, before what another one refuses is refused. */
const UNUSED_LOOKS = 2
const BEGIN_TRIES_MAX = 3

/**
 * Has another facilitator settle a payment, and believes the chain alone. The proof is claimed and the turn taken before it hears of it,
 * so one call at a time asks and every other waits beside it. Its "yes" is a reason to look, its silence leaves the payment pending,
 * and after its "no" the same call may ask again, as it does by itself while the other one is not reached: an authorization moves money
 * once, whoever submits it how often.
 */
export async function settleElsewhere(
  deps: ElsewhereDeps,
  order: ElsewhereOrder,
): Promise<Settled> {
  const taken = takeIn(order.presented, deps.chains, deps.settlersOf)
  if (!taken.ok) return { ...taken, kind: 'refused' }
  const { intake } = taken
  const digest = digestOf(intake)
  const asked = { network: intake.chain.config.network, proofKey: intake.authorization.proofKey }
  for (let tries = 0; tries < BEGIN_TRIES_MAX; tries += 1) {
    const claim = await deps.claimOf(asked)
    if (claim !== undefined) {
      const isSame = isSameClaim(claim, order.accountId, digest)
      if (!isSame && (await yieldToOther(deps, claim, intake))) continue
      if (!isSame) {
        const message = await duplicateMessage(deps, claim, order.accountId)
        return {
          kind: 'duplicate',
          intake,
          own: null,
          ...(message === undefined ? {} : { message }),
        }
      }
      if (!isShown(claim, intake.authorization)) {
        const { authorization, requirements } = intake
        const { payer } = authorization
        const refusal = refused(notShownReason(authorization), requirements.networkName, payer)
        return { ...refusal, kind: 'refused' }
      }
      return follow(deps, order, claim, intake)
    }
    const refusal = await begin(deps, order, intake)
    if (refusal !== undefined) return refusal
  }
  throw new Error('a claim was neither made nor found')
}

/** Checks it as if it were settled here, then claims: the other facilitator hears of nothing that is not claimed. Undefined once there is a claim. */
async function begin(
  deps: ElsewhereDeps,
  order: ElsewhereOrder,
  intake: Intake,
): Promise<Settled | undefined> {
  const { accountId, presented } = order
  const { authorization, requirements } = intake
  const paymentId = newId(deps.random, 'pay')
  const beginning = { accountId, paymentId, digest: digestOf(intake), intake, isNew: true }
  const verified = await verifyPayment(deps, accountId, presented)
  if (!verified.ok) {
    const { network } = intake.chain.config
    // Another call may have been faster meanwhile: then its claim is joined, and what the chain refuses has happened.
    if ((await deps.claimOf({ network, proofKey: authorization.proofKey })) !== undefined) {
      return undefined
    }
    // Whatever else speaks against it now, somebody may have submitted it before.
    const mayBePaid = verified.reason !== 'receiver_of_another_account'
    const seen = mayBePaid ? await lookAgain(deps, order, beginning) : 'unused'
    if (seen === 'found') return undefined
    if (seen !== 'behind') return { ...verified, kind: 'refused' }
    const { networkName } = requirements
    const { payer } = authorization
    return { ...refused('network_unavailable', networkName, payer), kind: 'refused' }
  }
  const begun = await beginElsewhere(deps, beginning)
  if (begun.kind !== 'refused') return undefined
  const refusal = refused(begun.reason, requirements.networkName, authorization.payer)
  return { ...refusal, kind: 'refused' }
}

/** Waits for the chain, having the other facilitator asked if nobody else is at it. */
async function follow(
  deps: ElsewhereDeps,
  order: ElsewhereOrder,
  claim: Claim,
  intake: Intake,
): Promise<Settled> {
  const { clock } = deps
  const { accountId, paymentId, termsDigest: digest } = claim
  const { blockTimeMilliseconds } = intake.chain.config
  const pause = Math.max(
    LOOK_MILLISECONDS_MIN,
    Math.min(blockTimeMilliseconds, LOOK_MILLISECONDS_MAX),
  )
  // What was claimed is looked for whoever vouches for it now.
  const authorization = { ...intake.authorization, wasJudged: true } as const
  const claimed = { ...intake, authorization }
  const beginning = { accountId, paymentId, digest, intake: claimed, isNew: false }
  let asking = await haveAsked(deps, order, claim, intake)
  let patience = pause
  let unusedLooks = 0
  for (;;) {
    const nextLook = clock.nowMilliseconds() + patience
    const waitUntilMilliseconds = Math.min(order.waitUntilMilliseconds, nextLook)
    const joined = await joinClaim(deps, { ...order, waitUntilMilliseconds }, claim)
    if (!isOpen(joined)) return { ...joined, intake }
    const isOver = clock.nowMilliseconds() >= order.waitUntilMilliseconds || order.over.aborted
    const { state } = joined
    // What it did when it was asked before and did not answer may be under way still, whatever it says now; and what another call has us send is.
    const isWord = asking?.wasAsked === false && !state.underWay && !isOwed(claim, state)
    const wasRefused = isWord && asking?.word?.kind === 'no' ? asking.word.reason : undefined
    const isPending = state.status === 'pending'
    const seen = isPending ? await look(deps, beginning) : 'unknown'
    const isUnseen = seen === 'unknown' || seen === 'behind'
    patience = isPending && isUnseen ? Math.min(patience * 2, UNKNOWN_LOOK_MILLISECONDS_MAX) : pause
    if (seen === 'found' && !isOver) {
      // What a node shows may not be a block of the chain that was read yet.
      await clock.sleep(pause, order.over)
      continue
    }
    // Once may be the word of a node that is behind the other's.
    if (seen === 'unused' && wasRefused !== undefined) unusedLooks += 1
    if (unusedLooks >= UNUSED_LOOKS && wasRefused !== undefined) {
      if (await isLeftAlone(deps, claim)) {
        const { networkName } = intake.requirements
        const { payer } = intake.authorization
        return { ...refused(wasRefused, networkName, payer), kind: 'refused' }
      }
      // Another call has had it asked since, or settles it here: what comes of that is not known.
      asking = undefined
    }
    if (isOver) return { ...joined, kind: 'pending', intake }
    const askedFor = clock.nowMilliseconds() - (asking?.takenAtMilliseconds ?? 0)
    if (asking?.word?.kind === 'unheard' && askedFor >= UNREACHED_MILLISECONDS) {
      asking = await haveAsked(deps, order, claim, intake)
    }
    // An earlier attempt of ours that came to nothing ends every wait at once.
    if (joined.kind === 'reverted') await clock.sleep(patience, order.over)
  }
}

/** Whether nobody has anything under way for it in this moment: while the chain was asked, another call may have begun. */
async function isLeftAlone(
  { store, records }: ElsewhereDeps,
  claim: Pick<Claim, 'accountId' | 'paymentId' | 'answeredAtMilliseconds'>,
): Promise<boolean> {
  const { accountId, paymentId } = claim
  return store.inTransaction('service', async (tx) => {
    const state = await records.state(tx, accountId, paymentId)
    const isIdle = state?.status === 'pending' && !state.underWay && !isOwed(claim, state)
    return isIdle && !(await isTurnTaken(tx, paymentId))
  })
}

/** The turn to ask, as it was taken. */
interface Turn {
  /** It was asked before, and did not answer. */
  readonly wasAsked: boolean
  readonly takenAtMilliseconds: number
}

/** A question to the other facilitator, and its answer once it is there. */
interface Asking extends Turn {
  word?: RemoteWord
}

/** Has the other facilitator asked, unless somebody else is at it or nothing is left to ask for. */
async function haveAsked(
  deps: ElsewhereDeps,
  order: ElsewhereOrder,
  claim: Claim,
  intake: Intake,
): Promise<Asking | undefined> {
  const turn = await mayAsk(deps, order, claim, intake)
  if (turn === undefined) return undefined
  const asking: Asking = { ...turn }
  // Handed over: whoever waits here may be gone before the answer comes.
  deps.remotes.keep(ask(deps, order, claim, turn)).then(
    (said) => {
      asking.word = said
    },
    (error: unknown) =>
      deps.log.warn({ paymentId: claim.paymentId, err: error }, 'a settlement was not asked for'),
  )
  return asking
}

function isOpen(joined: Joined): joined is Extract<Joined, { kind: 'pending' | 'reverted' }> {
  return joined.kind === 'pending' || joined.kind === 'reverted'
}

/** Looks until the node that shows by what it was used has come there, or nobody waits so long. */
async function lookAgain(
  deps: ElsewhereDeps,
  order: ElsewhereOrder,
  beginning: Beginning,
): ReturnType<typeof look> {
  for (let waits = 0; ; waits += 1) {
    const seen = await look(deps, beginning)
    const mayWait = seen === 'behind' && waits < NODE_WAITS_MAX
    if (!mayWait || !(await waitForNode(deps, order))) return seen
  }
}

/**
 * Takes the turn. Undefined while another call is at it, or when there is nothing left to ask for. The signature that is handed over may be
 * used to its own end, so the claim is followed to that. One that only code can judge is one that was judged with the claim.
 */
async function mayAsk(
  { store, clock, records }: ElsewhereDeps,
  { remote }: ElsewhereOrder,
  { accountId, paymentId, network, proofKey }: Claim,
  { authorization }: Intake,
): Promise<Turn | undefined> {
  const handed = authorization.awaitsCode === true ? null : authorization
  return store.inTransaction('service', async (tx) => {
    // Whoever finds it over in this moment has said so before, or sees which signature is handed over.
    await holdClaims(tx, network, [proofKey])
    const state = await records.state(tx, accountId, paymentId)
    if (state?.status !== 'pending' || state.underWay) return undefined
    const turn = { paymentId, facilitator: remote.url, handed }
    const takenAtMilliseconds = clock.nowMilliseconds()
    const taken = await takeTurn(tx, turn, takenAtMilliseconds)
    return taken && { ...taken, takenAtMilliseconds }
  })
}

async function ask(
  { store, log }: ElsewhereDeps,
  order: ElsewhereOrder,
  { paymentId, network }: Claim,
  { wasAsked, takenAtMilliseconds }: Turn,
): Promise<RemoteWord> {
  const word = await order.remote.settle(remoteBody(order.presented))
  if (word.kind !== 'yes') {
    log.info({ network, paymentId, next: word.kind }, 'another facilitator did not settle')
  }
  const hasDoneNothing = word.kind === 'no' || word.kind === 'unheard'
  // As long as nobody knows what it did before, that stays written down.
  if (hasDoneNothing && !wasAsked) {
    await store.inTransaction('service', (tx) => giveTurnBack(tx, paymentId, takenAtMilliseconds))
  }
  return word
}

/**
 * Looks on the chain for whatever used the authorization. Unknown where something used it and nobody shows what; `behind` where nobody could say,
 * or not yet.
 */
async function look(
  deps: ElsewhereDeps,
  beginning: Beginning,
): Promise<'found' | 'unused' | 'unknown' | 'behind'> {
  const { exact, authorization } = beginning.intake
  try {
    const check = await exact.check(authorization)
    if (check.ok || check.isUsed !== true) return 'unused'
    const found = await findPaidElsewhere(deps, beginning)
    return found === 'paid' ? 'found' : found
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error
    return 'behind'
  }
}
