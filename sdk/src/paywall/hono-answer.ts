import type { Admission, Admitted, Metered } from './admission.ts'
import { busy } from './admission.ts'
import { NO_STORE } from './answer-headers.ts'
import type { HeldAnswer } from './held.ts'
import { openStandIn, putHeaders, replace, UPGRADE } from './hono-context.ts'
import type { HonoContext, HonoVisit } from './hono-context.ts'
import { responseOf, runHeld } from './hono-held.ts'
import { ANSWERED_ELSEWHERE, BUYER_GONE, CANNOT_BE_SENT } from './node-answer.ts'
import { TOO_LONG, UNSENDABLE } from './serve-metered.ts'
import { carryMeter } from './set-amount.ts'
import { turnAway } from './turn-away.ts'
import { watchBody } from './watch-body.ts'

/** What a buyer reads who has paid. */
const UNSENDABLE_PAID = {
  ...UNSENDABLE,
  body: {
    error: 'answer_not_sendable',
    message: 'The answer was none that can be sent. Ask again with the same payment.',
  },
}

/** Answers a request to Hono. */
export async function answerHono(
  context: HonoContext,
  next: () => Promise<void>,
  admission: Admission,
  visit: HonoVisit,
): Promise<Response | undefined> {
  const { buyer } = visit
  if (visit.isAnswered()) {
    await turnAway(admission, ANSWERED_ELSEWHERE)
    return undefined
  }
  switch (admission.kind) {
    case 'said':
      return tell(admission.said)
    case 'kept':
      return deliverHono(context, admission.answer, admission.admitted, buyer)
    case 'admitted':
      return serveHono(context, next, admission.admitted, buyer)
    case 'metered':
      return serveHonoMetered(context, next, admission.metered, buyer)
    default:
      return admission satisfies never
  }
}

/** Runs the handler of a visit that is paid for, and puts on its answer what the buyer is told of the payment. */
async function serveHono(
  context: HonoContext,
  next: () => Promise<void>,
  { headers, ended }: Admitted,
  buyer: AbortSignal,
): Promise<undefined> {
  try {
    await next()
  } catch (error) {
    await ended('the handler threw')
    throw error
  }
  // Hono tells the buyer.
  if (!context.finalized) {
    await ended('the handler answered nothing')
    return undefined
  }
  const { status } = context.res
  const threw = context.error === undefined ? undefined : 'the handler threw'
  const refused = status < 400 ? undefined : `the handler answered ${status}`
  const isPut = putHeaders(context, headers)
  if (!isPut) replace(context, tell(UNSENDABLE_PAID))
  const why = threw ?? refused ?? (isPut ? goneReason(buyer) : CANNOT_BE_SENT)
  // Of a body that is made while it goes out nobody knows yet whether there is any of it.
  const begun = why === undefined ? watchBegin(context, context.res, ended, buyer) : undefined
  if (begun === undefined) await ended(why)
  else replace(context, begun)
  return undefined
}

/** Leaves it to the body of an answer to say that it has begun. Undefined where it has none to wait for. */
function watchBegin(
  { req }: HonoContext,
  answer: Response,
  ended: Admitted['ended'],
  buyer: AbortSignal,
): Response | undefined {
  const isRead = req.raw.method !== 'HEAD' && answer.status !== UPGRADE
  if (answer.body === null || !isRead) return undefined
  const tellOnce = (reason?: string) => void ended(reason)
  buyer.addEventListener('abort', () => tellOnce(BUYER_GONE), { once: true })
  return new Response(watchBody(answer.body, BUYER_GONE, tellOnce), answer)
}

/** Runs the handler and gives its answer out once it is paid for. */
export async function serveHonoMetered(
  context: HonoContext,
  next: () => Promise<void>,
  metered: Metered,
  buyer: AbortSignal,
): Promise<undefined> {
  carryMeter([context], (amount) => metered.setAmount(amount))
  const run = await runHeld(context, next, buyer).catch((error: unknown) => {
    metered.abandon()
    throw error
  })
  if (run.kind !== 'answered') {
    metered.abandon()
    if (run.kind === 'refused') putHeaders(context, NO_STORE)
    if (run.kind === 'too_long') replace(context, tell(TOO_LONG))
    if (run.kind === 'unsendable') replace(context, tell(UNSENDABLE))
    return undefined
  }
  if (buyer.aborted) {
    metered.abandon()
    replace(context, nothing())
    return undefined
  }
  // Whoever answers before it is paid for, a time limit for one, has no goods to give out.
  const busyMeanwhile = openStandIn(busy('settlement_pending').said)
  replace(context, busyMeanwhile.response)
  const own = context.res
  const admission = await metered.finish(run.answer)
  const isOurs = context.error === undefined && context.res === own && !busyMeanwhile.isOut()
  if (!isOurs) {
    await turnAway(admission, ANSWERED_ELSEWHERE)
    return undefined
  }
  const given =
    admission.kind === 'said'
      ? tell(admission.said)
      : await deliverHono(context, admission.answer, admission.admitted, buyer)
  replace(context, given)
  return undefined
}

function tell({ status, headers, body }: (Admission & { kind: 'said' })['said']): Response {
  return Response.json(body, { status, headers })
}

/** Why nobody has got an answer whose buyer broke the connection; undefined while the buyer is there. */
function goneReason({ aborted }: AbortSignal): string | undefined {
  return aborted ? BUYER_GONE : undefined
}

/** An answer that was paid for: delivered when its first part is read, as one of `exact` is, and kept where its buyer is gone before. */
async function deliverHono(
  context: HonoContext,
  answer: HeldAnswer,
  { headers, ended }: Admitted,
  buyer: AbortSignal,
): Promise<Response> {
  const given = responseOf(answer, headers)
  const why = given === undefined ? CANNOT_BE_SENT : goneReason(buyer)
  if (given !== undefined && why === undefined) {
    const begun = watchBegin(context, given, ended, buyer)
    if (begun !== undefined) return begun
  }
  await ended(why)
  return given ?? tell(UNSENDABLE_PAID)
}

/** For a buyer who is not there to read it. */
function nothing(): Response {
  return new Response(null, { status: 499 })
}
