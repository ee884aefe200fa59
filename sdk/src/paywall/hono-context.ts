import { saidBeside } from './answer-headers.ts'
import type { Said } from './demand.ts'

/** What is needed of a context of Hono. */
export interface HonoContext {
  readonly req: { readonly raw: Request }
  get res(): Response
  /** Undefined first, or Hono adds the headers of the old answer. */
  set res(response: Response | undefined)
  readonly error: Error | undefined
  /** Whether anybody has answered. */
  readonly finalized: boolean
}

/** Switching protocols. RFC 9110, 15.2.2. */
export const UPGRADE = 101

/** Puts an answer into the place of the one that is there. */
export function replace(context: HonoContext, response: Response): void {
  context.res = undefined
  context.res = response
}

/**
 * Puts headers on the answer, on a copy of it: nobody can change those of an answer that was fetched, and a handler may give
 * out one object for several requests. False when it is no answer that can be sent.
 */
export function putHeaders(
  context: HonoContext,
  headers: Readonly<Record<string, string>>,
): boolean {
  const { res } = context
  // The other end of an upgrade hangs on the object itself, and it goes out with our headers or without.
  if (res.status === UPGRADE) {
    setAll(res, headers)
    return true
  }
  if (!isSendable(res)) return false
  try {
    replace(context, new Response(res.body, res))
    return setAll(context.res, headers)
  } catch {
    return false
  }
}

function setAll({ headers }: Response, more: Readonly<Record<string, string>>): boolean {
  try {
    putOn(headers, more)
    return true
  } catch {
    return false
  }
}

/** @throws {TypeError} where nobody may change them */
export function putOn(headers: Headers, more: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(more)) {
    headers.set(name, saidBeside(name, value, headers.get(name) ?? undefined))
  }
}

/** What becomes of a request while something is waited for. */
export interface HonoVisit {
  /** Aborted when the buyer has gone away. */
  readonly buyer: AbortSignal
  /** Whether somebody in front has answered: a time limit, for one. */
  isAnswered(): boolean
}

/** To be called before anything is waited for. */
export function watchVisit(context: HonoContext): HonoVisit {
  const wasAnswered = context.finalized
  return {
    // Adapters tell of a buyer who goes away only where somebody has asked for the signal.
    buyer: context.req.raw.signal,
    isAnswered: () => context.error !== undefined || (context.finalized && !wasAnswered),
  }
}

/** Whether its body is still there to be read, and its status is one of an answer: `Response.error()` has none. */
export function isSendable(response: Response): boolean {
  return response.status >= 200 && !response.bodyUsed && response.body?.locked !== true
}

/** An answer that stands in for another, and knows whether it is going out itself. */
export function openStandIn({ status, headers, body }: Said): {
  readonly response: Response
  isOut(): boolean
} {
  let isOut = false
  const source = {
    pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      isOut = true
      controller.enqueue(new TextEncoder().encode(JSON.stringify(body)))
      controller.close()
    },
  }
  // Asked for its first part when somebody reads, and not before.
  const stream = new ReadableStream(source, { highWaterMark: 0 })
  const told = { ...headers, 'Content-Type': 'application/json' }
  return { response: new Response(stream, { status, headers: told }), isOut: () => isOut }
}
