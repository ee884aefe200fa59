import type { Caller, Person } from '../kernel/caller.ts'
import type { Actor } from './entry.ts'

/** Who asks, as an audit log says it. Throws when nobody does. */
export function actorOf({
  knownCaller,
  person,
  client,
  requestId,
}: {
  /** Undefined for a session without an account. */
  readonly knownCaller: Caller | undefined
  readonly person: Person | undefined
  readonly client: { readonly address: string }
  readonly requestId: string
}): Actor {
  const where = { address: client.address, requestId }
  if (person !== undefined) {
    return { kind: 'member', id: person.memberId, name: person.calledName, ...where }
  }
  if (knownCaller === undefined) throw new Error('nobody asks')
  return { kind: 'key', id: knownCaller.keyId, name: knownCaller.keyName ?? null, ...where }
}
