import { limits } from '../limits.ts'
import type { Admission, Admitted, Metered } from './admission.ts'
import { NO_STORE } from './admission.ts'
import type { HeldAnswer } from './held.ts'
import { BUYER_GONE } from './node-answer.ts'
import { putHeaders, replace } from './hono-context.ts'
import type { HonoContext } from './hono-context.ts'
import { TOO_LONG } from './serve-metered.ts'
import { carryMeter } from './set-amount.ts'

/** Of how an answer came here, if it was fetched: not of the whole body that goes out. RFC 9110, 7.6.1 and 8.6. */
const WIRE: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'transfer-encoding', 'content-length'],
])

/** Runs the handler of a visit that is paid for, and puts on its answer what the buyer is told of the payment. */
export async function serveHono(
  context: HonoContext,
  next: () => Promise<void>,
  { headers, ended }: Admitted,
): Promise<undefined> {
  const { signal } = context.req.raw
  try {
    await next()
  } catch (error) {
    await ended('the handler threw')
    throw error
  }
  const { status } = context.res
  const threw = context.error === undefined ? undefined : 'the handler threw'
  const refused = status < 400 ? undefined : `the handler answered ${status}`
  putHeaders(context, headers)
  await ended(threw ?? refused ?? goneReason(signal))
  return undefined
}

/** Runs the handler and gives its answer out once it is paid for. */
export async function serveHonoMetered(
  context: HonoContext,
  next: () => Promise<void>,
  metered: Metered,
): Promise<undefined> {
  // Asked for before the handler runs: adapters tell of a buyer who goes away only where somebody has asked.
  const { signal } = context.req.raw
  carryMeter([context], (amount) => metered.setAmount(amount))
  const answer = await run(context, next).catch((error: unknown) => {
    metered.abandon()
    throw error
  })
  if (answer === undefined || answer === 'too_long') {
    metered.abandon()
    if (answer === 'too_long') replace(context, tell(TOO_LONG))
    else putHeaders(context, NO_STORE)
    return undefined
  }
  if (signal.aborted) {
    metered.abandon()
    replace(context, nothing())
    return undefined
  }
  const admission = await metered.finish(answer)
  const given =
    admission.kind === 'said'
      ? tell(admission.said)
      : await deliverHono(admission.answer, admission.admitted, signal)
  replace(context, given)
  return undefined
}

export function tell({ status, headers, body }: (Admission & { kind: 'said' })['said']): Response {
  return Response.json(body, { status, headers })
}

/** Why nobody has got an answer whose buyer broke the connection; undefined while the buyer is there. */
export function goneReason({ aborted }: AbortSignal): string | undefined {
  return aborted ? BUYER_GONE : undefined
}

/**
 * An answer that was paid for. From here on it counts as delivered unless the buyer is gone by now, because Hono does not
 * say what becomes of it.
 */
export async function deliverHono(
  answer: HeldAnswer,
  admitted: Admitted,
  buyer: AbortSignal,
): Promise<Response> {
  const headers = new Headers()
  for (const [name, value] of answer.headers) {
    for (const each of [value].flat()) headers.append(name, each)
  }
  for (const [name, value] of Object.entries(admitted.headers)) headers.set(name, value)
  await admitted.ended(goneReason(buyer))
  const body = answer.length === 0 ? null : new Blob(answer.parts.map(([part]) => copyOf(part)))
  return new Response(body, { status: answer.status, headers })
}

/** For a buyer who is not there to read it. */
function nothing(): Response {
  return new Response(null, { status: 499 })
}

function copyOf(part: string | Uint8Array): string | Uint8Array<ArrayBuffer> {
  return typeof part === 'string' ? part : new Uint8Array(part)
}

/** The whole answer of the handler; undefined when it is none that is paid for. */
async function run(
  context: HonoContext,
  next: () => Promise<void>,
): Promise<HeldAnswer | 'too_long' | undefined> {
  await next()
  const { res } = context
  if (context.error !== undefined || res.status >= 400) return undefined
  const parts: (readonly [Uint8Array, undefined])[] = []
  let length = 0
  const reader = res.body?.getReader()
  for (;;) {
    const read = await reader?.read()
    if (read === undefined || read.done) break
    length += read.value.length
    if (length > limits.paywallHeldBytesMax) {
      await reader?.cancel()
      return 'too_long'
    }
    parts.push([read.value, undefined])
  }
  const headers = [...res.headers].filter(([name]) => !WIRE.has(name))
  return { status: res.status, headers, parts, length }
}
