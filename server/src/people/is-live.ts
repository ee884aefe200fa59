import { limits } from '../kernel/limits.ts'

const IDLE_MILLISECONDS = limits.sessionIdleSeconds * 1000

/** Whether a session that nobody has ended is neither past its time nor idle for too long. */
export function isLive(
  session: { readonly expiresAtMilliseconds: number; readonly seenAtMilliseconds: number },
  nowMilliseconds: number,
): boolean {
  const { expiresAtMilliseconds, seenAtMilliseconds } = session
  return (
    expiresAtMilliseconds > nowMilliseconds &&
    seenAtMilliseconds > nowMilliseconds - IDLE_MILLISECONDS
  )
}
