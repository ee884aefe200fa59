import { openBound } from './held-bound.ts'
import type { HeldAnswer } from './held.ts'
import { isSendable, putOn } from './hono-context.ts'
import type { HonoContext } from './hono-context.ts'

/** What became of a handler whose answer is held back. */
export type HeldRun =
  | { readonly kind: 'answered'; readonly answer: HeldAnswer }
  /** It threw, or answered 400 or more. */
  | { readonly kind: 'refused' }
  /** It gave back nothing, of which Hono tells the buyer. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'too_long' }
  | { readonly kind: 'unsendable' }

/** Of how an answer came here, if it was fetched: not of the whole body that goes out. RFC 9110, 7.6.1 and 8.6. */
const WIRE: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'transfer-encoding', 'content-length'],
])

/** Runs the handler and reads all that it answers. Rejects as the handler does, and where its body breaks. */
export async function runHeld(
  context: HonoContext,
  next: () => Promise<void>,
  buyer: AbortSignal,
): Promise<HeldRun> {
  await next()
  if (!context.finalized) return { kind: 'nothing' }
  const { res } = context
  if (!isSendable(res)) return { kind: 'unsendable' }
  if (context.error !== undefined || res.status >= 400) return { kind: 'refused' }
  const parts = await partsOf(res, buyer)
  if (parts === 'too_long') return { kind: 'too_long' }
  const headers = [...res.headers].filter(([name]) => !WIRE.has(name))
  const length = parts.reduce((sum, [part]) => sum + part.length, 0)
  return { kind: 'answered', answer: { status: res.status, headers, parts, length } }
}

/** An answer that was held; undefined when it is none. */
export function responseOf(
  answer: HeldAnswer,
  more: Readonly<Record<string, string>>,
): Response | undefined {
  try {
    const headers = new Headers()
    for (const [name, value] of answer.headers) {
      for (const each of [value].flat()) headers.append(name, each)
    }
    putOn(headers, more)
    const body = answer.length === 0 ? null : new Blob(answer.parts.map(([part]) => copyOf(part)))
    return new Response(body, { status: answer.status, headers })
  } catch {
    return undefined
  }
}

async function partsOf(
  { body }: Response,
  buyer: AbortSignal,
): Promise<(readonly [Uint8Array, undefined])[] | 'too_long'> {
  const parts: (readonly [Uint8Array, undefined])[] = []
  const isOver = openBound()
  const reader = body?.getReader()
  // A handler may stream for ever, and nobody else ends it.
  const leave = () => void reader?.cancel().catch(() => undefined)
  if (buyer.aborted) leave()
  buyer.addEventListener('abort', leave, { once: true })
  for (;;) {
    const read = await reader?.read()
    if (read === undefined || read.done) break
    if (isOver(read.value.length)) {
      await reader?.cancel()
      return 'too_long'
    }
    parts.push([read.value, undefined])
  }
  return parts
}

function copyOf(part: string | Uint8Array): string | Uint8Array<ArrayBuffer> {
  return typeof part === 'string' ? part : new Uint8Array(part)
}
