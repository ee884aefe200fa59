import { limits } from '../limits.ts'

/** Why nobody has got an answer whose body broke before any of it was read. */
export const BODY_BROKE = 'the answer broke before anything of it was out'

/**
 * The body again; `tell` hears once what becomes of its beginning: no reason when some of it was read, or it is empty; a reason where it breaks or is given
 * up (`gone`) before. Adapters say nothing of a body that they never read: after a while such a one counts as read.
 */
export function watchBody(
  body: ReadableStream<Uint8Array>,
  gone: string,
  tell: (reason?: string) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let hasTold = false
  const once = (reason?: string) => {
    if (hasTold) return
    hasTold = true
    clearTimeout(timer)
    tell(reason)
  }
  const timer = setTimeout(once, limits.paywallUnreadMilliseconds)
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      try {
        const read = await reader.read()
        once()
        if (read.done) controller.close()
        else controller.enqueue(read.value)
      } catch (error) {
        once(BODY_BROKE)
        controller.error(error)
      }
    },
    async cancel(reason: unknown) {
      once(gone)
      await reader.cancel(reason)
    },
  }
  // Read when somebody reads it, and not before.
  return new ReadableStream(source, { highWaterMark: 0 })
}
