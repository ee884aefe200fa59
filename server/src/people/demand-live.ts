import type { SessionId } from '../kernel/id.ts'
import type { PeopleDeps } from './deps.ts'
import { isLive } from './is-live.ts'
import { findOwnSession } from './session-store.ts'
import type { FoundSession } from './session-store.ts'
import { signedOut } from './sessions.ts'

/**
 * The session as the database has it now, for what outlives it: an instance may still remember one that was ended. Throws Refusal
 * UNAUTHORIZED.
 */
export async function demandLive(
  { clock, store }: Pick<PeopleDeps, 'clock' | 'store'>,
  sessionId: SessionId,
): Promise<FoundSession> {
  const session = await store.inTransaction('service', (tx) => findOwnSession(tx, sessionId))
  if (session === undefined || !isLive(session, clock.nowMilliseconds())) throw signedOut()
  return session
}
