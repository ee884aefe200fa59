import type { NetworkId } from '@florin/wire/network.ts'
import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import type { Store } from '../store/postgres.ts'
import type { Broadcaster } from './broadcast.ts'
import { attemptsToSend } from './transaction-store.ts'

/**
 * Sends again, as they are stored, the bytes of open places that were not sent lately, lowest nonces first. This is
 * also what finishes a payment whose process died between commit and broadcast. What this process hands to a node just now is left out.
 */
export async function rebroadcast(
  { store, broadcaster, clock }: { store: Store; broadcaster: Broadcaster; clock: Clock },
  network: NetworkId,
  everyMilliseconds: number,
): Promise<number> {
  const nowMilliseconds = clock.nowMilliseconds()
  const since = { nowMilliseconds, notSentSinceMilliseconds: nowMilliseconds - everyMilliseconds }
  const attempts = await store.inTransaction('service', (tx) =>
    attemptsToSend(tx, network, since, limits.rebroadcastBatchMax),
  )
  await broadcaster.broadcast(
    network,
    attempts.map((attempt) => ({ ...attempt, isRepeat: attempt.wasSent, isFound: true })),
  )
  return attempts.length
}
