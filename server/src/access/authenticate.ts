import { Refusal } from '@florin/wire/errors.ts'
import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import type { Random } from '../kernel/random.ts'
import type { SecretBytes } from '../kernel/secret.ts'
import type { Store } from '../store/postgres.ts'
import type { AddressLimit } from './address-limit.ts'
import { openKeyBatch } from './key-batch.ts'
import type { KeyHolder } from './key-holder.ts'
import { openKnownDigests, sameDigest } from './key.ts'
import { findKeyByDigest, markKeyUsed } from './store.ts'
import type { FoundKey } from './store.ts'

export interface Authenticator {
  /**
   * From the values of the Authorization header to who is asking, at once where that is known. Missing, given twice, malformed, unknown, deleted
   * and expired are one and the same Refusal UNAUTHORIZED, counted against the client's address, and RATE_LIMIT once that has had too many.
   * Throws or rejects; with StoreUnavailable when nobody can say.
   */
  authenticate(authorization: readonly string[], address: string): KeyHolder | Promise<KeyHolder>
  /** Waits for what is still being noted; nothing is noted afterwards. */
  close(): Promise<void>
}

const VOUCHED = { allowed: true, giveBack: () => undefined } as const
const BEARER = /^Bearer +([^ ]+) *$/i

interface Entry {
  /** Taken before the database was asked: the answer is at most this old. */
  readonly askedAtMilliseconds: number
  readonly found: Promise<Found | undefined>
  /** What it found, once it has. */
  known: Found | undefined
  /** Handed on from entry to entry: a note that hangs must not be started anew with every look-up. */
  readonly use: { notedAtMilliseconds: number }
}

interface Found {
  readonly holder: KeyHolder
  readonly expiresAtMilliseconds: number
  readonly lastUsedAtMilliseconds: number
}

/**
 * Remembers a good key for limits.keyCacheMilliseconds, so a deletion, or another limit of its plan, holds within that time on
 * every instance and a busy key costs few look-ups. A key that nobody holds is not remembered: a new key works at once.
 * Their look-ups are counted by address; a key that was good once is looked up whatever its neighbours at that address do, and
 * one that nobody has seen waits for others and shares their query, once the address has had too many.
 */
export function openAuthenticator({
  store,
  clock,
  log,
  random,
  pepper,
  addresses,
}: {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly random: Random
  readonly pepper: SecretBytes
  readonly addresses: AddressLimit
}): Authenticator {
  const entries = new Map<string, Entry>()
  const knownKeys = new Set<string>()
  const digestOf = openKnownDigests({ pepper, random }, limits.keyCacheEntriesMax)
  const batch = openKeyBatch({ store, clock })
  const noting = new Set<Promise<void>>()
  let closed = false

  async function ask(
    name: string,
    digest: Uint8Array,
    address: string,
  ): Promise<Found | undefined> {
    const allowance = knownKeys.has(name) ? VOUCHED : addresses.countLookUp(address)
    if (!allowance.allowed) {
      const found = await batch.find(digest)
      if (found === undefined) throw allowance.refusal
      addKnown(name)
      return foundOf(found)
    }
    const found = await findKeyByDigest(store, digest).catch((error: unknown) => {
      allowance.giveBack()
      throw error
    })
    knownKeys.delete(name)
    if (found === undefined || !sameDigest(found.digest, digest)) return undefined
    allowance.giveBack()
    addKnown(name)
    return foundOf(found)
  }

  function addKnown(name: string): void {
    knownKeys.add(name)
    if (knownKeys.size > limits.knownKeysMax) dropOldest(knownKeys)
  }

  function lookUp(digest: Uint8Array, address: string): Entry {
    const name = Buffer.from(digest).toString('latin1')
    const now = clock.nowMilliseconds()
    const known = entries.get(name)
    // A clock that was set back makes an entry look younger than it is: then its age is negative.
    const age = known === undefined ? -1 : now - known.askedAtMilliseconds
    if (known !== undefined && age >= 0 && age < limits.keyCacheMilliseconds) return known
    const use = known?.use ?? { notedAtMilliseconds: -Infinity }
    const entry: Entry = {
      askedAtMilliseconds: now,
      use,
      known: undefined,
      found: ask(name, digest, address).then(
        (found) => {
          if (found === undefined) forget(name, entry)
          entry.known = found
          return found
        },
        (error: unknown) => {
          forget(name, entry)
          throw error
        },
      ),
    }
    remember(name, entry)
    return entry
  }

  function remember(name: string, entry: Entry): void {
    entries.delete(name)
    entries.set(name, entry)
    if (entries.size > limits.keyCacheEntriesMax) dropOldest(entries)
  }

  function forget(name: string, entry: Entry): void {
    if (entries.get(name) === entry) entries.delete(name)
  }

  /** Coarsely, off the request's path; a note that fails is lost until the next one is due. */
  function noteUse(found: Found, use: Entry['use'], now: number): void {
    const lastNoted = Math.max(found.lastUsedAtMilliseconds, use.notedAtMilliseconds)
    if (closed || now - lastNoted < limits.keyUseNotedSeconds * 1000) return
    use.notedAtMilliseconds = now
    const { keyId } = found.holder
    const note = markKeyUsed(store, keyId, now)
      .catch((error: unknown) => log.debug({ keyId, err: error }, 'a key use was not noted'))
      .finally(() => noting.delete(note))
    noting.add(note)
  }

  function refuse(address: string): never {
    addresses.count(address)
    throw new Refusal('UNAUTHORIZED')
  }

  function admitFound(found: Found | undefined, use: Entry['use'], address: string): KeyHolder {
    const now = clock.nowMilliseconds()
    if (found === undefined || found.expiresAtMilliseconds <= now) return refuse(address)
    noteUse(found, use, now)
    return found.holder
  }

  return {
    authenticate: (authorization, address) => {
      const text = authorization.length === 1 ? BEARER.exec(authorization[0] ?? '')?.[1] : undefined
      const digest = text === undefined ? undefined : digestOf(text)
      if (digest === undefined) return refuse(address)
      const { found, known, use } = lookUp(digest, address)
      if (known !== undefined) return admitFound(known, use, address)
      return found.then((answer) => admitFound(answer, use, address))
    },
    close: async () => {
      closed = true
      await batch.close()
      await Promise.all(noting)
    },
  }
}

function foundOf({ facts, requestsPerMinute, exceptions }: FoundKey): Found {
  const { accountId, keyId, name: keyName, plan, scopes } = facts
  return {
    holder: {
      ...{ accountId, keyId, keyName, plan, scopes: new Set(scopes) },
      ...{ requestsPerMinute, exceptions },
    },
    expiresAtMilliseconds: facts.expiresAtMilliseconds ?? Infinity,
    lastUsedAtMilliseconds: facts.lastUsedAtMilliseconds ?? -Infinity,
  }
}

function dropOldest(collection: Pick<Set<string>, 'delete'> & { keys(): Iterable<string> }): void {
  for (const oldest of collection.keys()) {
    collection.delete(oldest)
    return
  }
}
