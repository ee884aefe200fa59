import { Refusal } from '@florin/wire/errors.ts'
import { holdKey } from '../access/key-end-store.ts'
import type { Caller } from '../kernel/caller.ts'
import type { Tx } from '../store/postgres.ts'
import { holdRole } from './member-store.ts'
import { isAtLeast } from './role.ts'

/**
 * Holds who asks to the end of the transaction, for what outlives them: an instance may remember a key that was deleted and a member who was
 * removed, and what they make in that moment would stay. What ends them waits, and what has ended them is seen. Comes after the account's lock.
 * Throws Refusal UNAUTHORIZED for a key that is no longer live, FORBIDDEN for a member who is none or has a lower role.
 */
export async function holdAsker(
  tx: Tx,
  { accountId, keyId, person }: Caller,
  nowMilliseconds: number,
): Promise<void> {
  if (person === undefined) {
    if (await holdKey(tx, accountId, keyId, nowMilliseconds)) return
    throw new Refusal('UNAUTHORIZED')
  }
  const role = await holdRole(tx, accountId, person.memberId)
  if (role !== undefined && person.role !== null && isAtLeast(role, person.role)) return
  throw noLonger(person.role ?? 'a member')
}

/** What somebody is told whose role was another when they were let in. */
export function noLonger(role: string): Refusal {
  return new Refusal('FORBIDDEN', {
    message: 'This session may not do that.',
    details: { role: `is no longer ${role}` },
  })
}
