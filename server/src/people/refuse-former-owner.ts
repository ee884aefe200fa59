import type { Actor } from '../audit/entry.ts'
import { noLonger } from './hold-asker.ts'

/**
 * Throws Refusal FORBIDDEN for somebody who was let in as an owner and is none under the lock of lockOwners: an instance may remember
 * them for a moment, in which they could make themselves one again.
 */
export function refuseFormerOwner(owners: readonly string[], { id }: Pick<Actor, 'id'>): void {
  if (id === null || !owners.includes(id)) throw noLonger('owner')
}
