import type { Caller, Person } from '../kernel/caller.ts'
import type { AccountId } from '../kernel/id.ts'

/** Whose session asks. What only sessions open is asked by nobody else. */
export function demandPerson({ person }: { readonly person: Person | undefined }): Person {
  if (person === undefined) throw new Error('an operation of people was asked by nobody')
  return person
}

/** The account of the session that asks; null when it has none. */
export function accountOf(call: { readonly knownCaller: Caller | undefined }): AccountId | null {
  return call.knownCaller?.accountId ?? null
}
