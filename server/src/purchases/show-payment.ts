import type { Chain } from '../chains/chain.ts'
import type { Clock } from '../kernel/clock.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import type { KillPoint } from '../kernel/kill-point.ts'
import { limits } from '../kernel/limits.ts'
import type { DialFailure } from '../outbound/dial.ts'
import type { Payment } from '../payments/payment.ts'
import { hasReached } from '../payments/carry.ts'
import { findPayment } from '../payments/store.ts'
import type { Waits } from '../payments/wait.ts'
import { notifyChanged } from '../store/listen.ts'
import type { Store } from '../store/postgres.ts'
import { keptAnswer } from './ask-seller.ts'
import type { SellerRequest, Sellers, SellerTurn } from './ask-seller.ts'
import type { LookUntilPaid } from './look-until-paid.ts'
import type { LostAnswer, Purchase, SellerAnswer } from './purchase.ts'
import { isHandedOut, saysSettled } from './receipt.ts'
import { endExchange, findPurchase, takeExchange } from './store.ts'
import type { TooLong } from './too-long.ts'

export interface ShowDeps {
  readonly store: Store
  readonly waits: Waits
  readonly sellers: Sellers
  readonly lookUntilPaid: LookUntilPaid
  /** Told of goods that were too long; left out where nobody asks. */
  readonly tooLong?: Pick<TooLong, 'note'>
  readonly clock: Clock
  readonly killPoint: (point: KillPoint) => void
}

export interface ShowOrder {
  readonly chain: Chain
  readonly accountId: AccountId
  readonly paymentId: PaymentId
  readonly request: SellerRequest
  /** What was taken to ask for the price; ended when the payment was shown. Left out: one is taken. */
  readonly turn?: SellerTurn
  readonly waitOver: AbortSignal
}

export interface AfterShowing {
  readonly payment: Payment
  readonly answer: SellerAnswer | null
  readonly problem: string | null
  /** What is known of an answer that was too long to be kept. */
  readonly lost?: LostAnswer
}

/**
 * Shows the seller a stored authorization and keeps what it says; whoever comes while somebody else is at it waits for that answer. The
 * bytes are the same every time, so that however often it is shown there is one payment.
 */
export async function showPayment(deps: ShowDeps, order: ShowOrder): Promise<AfterShowing> {
  const showing = await showOnce(deps, order, order.turn)
  if (showing.kind !== 'shown') return afterOthersShowing(deps, order, showing.kind === 'busy')
  return afterOwnShowing(deps, order, showing)
}

/** What came of showing it oneself. */
async function afterOwnShowing(
  deps: ShowDeps,
  order: ShowOrder,
  { problem, lost }: Exchanged,
): Promise<AfterShowing> {
  const { purchase, payment, answer } = await read(deps, order)
  return whenConfirmed(deps, order, purchase, {
    payment,
    answer: problem === null ? answer : null,
    problem,
    ...(lost === undefined ? {} : { lost }),
  })
}

/** Waits for the chain where the seller has handed out, in an answer that can be kept or not, or says that it was paid. Any other has hardly settled; the chain may still say so, later. */
async function whenConfirmed(
  deps: ShowDeps,
  { chain, accountId, paymentId, waitOver }: ShowOrder,
  purchase: Purchase,
  after: AfterShowing,
): Promise<AfterShowing> {
  const isTooLong = after.problem === ('body_too_long' satisfies DialFailure)
  const isExpected = purchase.isDelivered || isTooLong || saysSettled(after.answer)
  if (!isExpected || hasReached(after.payment.status, 'confirmed')) return after
  const isEnough = new AbortController()
  // Handed over: it ends with the wait, and never rejects.
  void deps.lookUntilPaid(chain, purchase, AbortSignal.any([waitOver, isEnough.signal]))
  const payment = await deps.waits
    .until({ accountId, id: paymentId }, (status) => hasReached(status, 'confirmed'), {
      atMilliseconds: deps.clock.nowMilliseconds() + limits.fetchConfirmSeconds * 1000,
      over: waitOver,
    })
    .finally(() => isEnough.abort(WAITED))
  if (payment === undefined) throw new Error('a committed payment was not found')
  return { ...after, payment }
}

/** Without a reason an error would be made for every wait. */
const WAITED = 'nobody waits any more'

/** What came of one exchange: `problem` says why there is no answer, null when there is one. */
type Exchanged = Pick<AfterShowing, 'problem' | 'lost'>

type Showing =
  | (Exchanged & { readonly kind: 'shown' })
  /** Nobody was shown anything: there is no room, or somebody else is at it, or nothing is left to ask for. */
  | { readonly kind: 'busy' | 'not_taken' }

async function showOnce(
  deps: ShowDeps,
  order: ShowOrder,
  turn = deps.sellers.turn(order.accountId),
): Promise<Showing> {
  // Without room nothing is taken, so that whoever comes next need not wait.
  if (turn === undefined) return { kind: 'busy' }
  try {
    const taken = await take(deps, order)
    if (taken === undefined) return { kind: 'not_taken' }
    return { kind: 'shown', ...(await exchange(deps, turn, taken, order.request)) }
  } finally {
    turn.end()
  }
}

function take({ store, clock }: ShowDeps, { accountId, paymentId }: ShowOrder) {
  const now = clock.nowMilliseconds()
  return store.inTransaction(accountId, (tx) =>
    takeExchange(tx, { accountId, paymentId }, now, now + limits.fetchExchangeSeconds * 1000),
  )
}

/** One request with the payment, and what came of it. */
async function exchange(
  { store, killPoint, tooLong }: ShowDeps,
  turn: SellerTurn,
  purchase: Purchase,
  request: SellerRequest,
): Promise<Exchanged> {
  // Ends before the lease on it does, so that nobody else shows it meanwhile.
  const seconds = limits.fetchExchangeSeconds - limits.fetchExchangeSpareSeconds
  const { accountId } = purchase
  const outcome = await turn.ask({ request, payment: purchase, seconds })
  killPoint('fetch.after-seller')
  const answer = outcome.kind === 'answered' ? keptAnswer(outcome) : null
  const isDelivered = answer !== null && isHandedOut(answer)
  await store.inTransaction(accountId, async (tx) => {
    await endExchange(tx, purchase, answer, isDelivered)
    await notifyChanged(tx, [purchase.paymentId])
  })
  if (outcome.kind === 'answered') return { problem: null }
  const { reason: problem } = outcome
  if (outcome.kind === 'refused' || outcome.head === undefined) return { problem }
  const { status, headers } = keptAnswer({ ...outcome.head, body: new Uint8Array() })
  const lost = { status, headers }
  if (isHandedOut(lost)) tooLong?.note(accountId, purchase.requestDigest)
  return { problem, lost }
}

/** Somebody else is at it, or there is nothing left to ask for: what is known when that is over. */
async function afterOthersShowing(
  deps: ShowDeps,
  order: ShowOrder,
  wasBusy: boolean,
): Promise<AfterShowing> {
  const { clock } = deps
  const wasNobodyAtIt = wasBusy && isOver((await read(deps, order)).purchase, clock)
  let known = await whenOver(deps, order)
  const { before } = known
  let kind: Showing['kind'] | undefined
  // Whoever was at it was told nothing, or is gone without a word: it is shown once more, to the letter, also where it was paid meanwhile. What is over, or was
  // delivered for, is not taken.
  const { purchase, answer } = known
  const isUnsaid = answer === null || purchase.askingUntilMilliseconds !== null
  if (isUnsaid && !purchase.isDelivered) {
    if (isOver(purchase, clock)) {
      const showing = await showOnce(deps, order)
      if (showing.kind === 'shown') return afterOwnShowing(deps, order, showing)
      kind = showing.kind
    }
    // Of all who waited one was faster, and it is what that one is told.
    known = await whenOver(deps, order)
  }
  const { isDelivered, askingUntilMilliseconds, shown: times } = known.purchase
  // What was kept of an earlier answer was not said now.
  const isBusy = (wasNobodyAtIt || kind === 'busy') && !isDelivered
  const wasShown = times > before.shown || !isOver(before, clock)
  const isUnansweredNow = wasShown && askingUntilMilliseconds !== null
  const isSaid = isDelivered || (!isBusy && !isUnansweredNow && isOver(known.purchase, clock))
  const said = isSaid ? known.answer : null
  const problem = said === null ? (isBusy ? 'busy' : 'no_answer') : null
  return whenConfirmed(deps, order, known.purchase, {
    payment: known.payment,
    answer: said,
    problem,
  })
}

/** What is known as soon as nobody shows it any more, or when the longest that one may is over; `before`: as it stood when the wait began. */
async function whenOver(
  deps: ShowDeps,
  order: ShowOrder,
): Promise<Known & { readonly before: Purchase }> {
  const { waits, clock } = deps
  let before: Purchase | undefined
  const atMilliseconds = clock.nowMilliseconds() + limits.fetchExchangeSeconds * 1000
  await waits.look(
    order.paymentId,
    async () => {
      const { purchase } = await read(deps, order)
      before ??= purchase
      return purchase
    },
    (purchase) => isOver(purchase, clock),
    { atMilliseconds, over: order.waitOver },
  )
  const known = await read(deps, order)
  return { ...known, before: before ?? known.purchase }
}

/** Whether nobody shows it to its seller. */
function isOver({ askingUntilMilliseconds: until }: Purchase, clock: Clock): boolean {
  return until === null || until <= clock.nowMilliseconds()
}

/** A purchase as it stands. */
interface Known {
  readonly purchase: Purchase
  readonly payment: Payment
  readonly answer: SellerAnswer | null
}

async function read({ store }: ShowDeps, { accountId, paymentId }: ShowOrder): Promise<Known> {
  return store.inTransaction(accountId, async (tx) => {
    const purchase = await findPurchase(tx, accountId, paymentId)
    const payment = await findPayment(tx, accountId, paymentId)
    if (purchase === undefined || payment === undefined) throw new Error('a purchase is gone')
    return { purchase, payment, answer: purchase.answer }
  })
}
