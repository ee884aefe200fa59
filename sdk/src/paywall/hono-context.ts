/** What is needed of a context of Hono. */
export interface HonoContext {
  readonly req: { readonly raw: Request }
  get res(): Response
  /** Undefined first, or Hono adds the headers of the old answer. */
  set res(response: Response | undefined)
  readonly error: Error | undefined
}

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
  if (!isSendable(res)) return false
  const own = new Response(res.body, res)
  for (const [name, value] of Object.entries(headers)) own.headers.set(name, value)
  replace(context, own)
  return true
}

/** Whether its body is still there to be read, and its status is one of an answer: `Response.error()` has none. */
export function isSendable(response: Response): boolean {
  return response.status >= 200 && !response.bodyUsed && response.body?.locked !== true
}
