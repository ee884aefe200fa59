import { Refusal } from '@florin/wire/errors.ts'
import type { SessionId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { PeopleDeps } from './deps.ts'
import { demandLive } from './demand-live.ts'

const MINUTE = 60_000

/**
 * Throws Refusal FORBIDDEN unless its person signed in a short while ago: what gives a way in for ever is not given to whoever finds a page
 * open. A session's end is counted from the sign-in, also through the sessions that took its place.
 */
export async function demandFresh(
  { clock, store }: Pick<PeopleDeps, 'clock' | 'store'>,
  sessionId: SessionId,
): Promise<void> {
  const session = await demandLive({ clock, store }, sessionId)
  const signedInAt = session.expiresAtMilliseconds - limits.sessionHours * 60 * MINUTE
  if (clock.nowMilliseconds() - signedInAt <= limits.sessionFreshMinutes * MINUTE) return
  throw new Refusal('FORBIDDEN', {
    message: 'Sign in again first: this needs a sign-in of the last minutes.',
    details: { session: `signed in more than ${limits.sessionFreshMinutes} minutes ago` },
  })
}
