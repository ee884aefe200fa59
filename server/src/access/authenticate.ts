import { Refusal } from '@florin/wire/errors.ts'
import type { Caller } from '../kernel/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import type { SecretBytes } from '../kernel/secret.ts'
import type { Store } from '../store/postgres.ts'
import { keyDigest, parseKey, sameDigest } from './key.ts'
import { findKeyByDigest, markKeyUsed } from './store.ts'
import type { KeyFacts } from './store.ts'

export interface Authenticator {
  /**
   * From the values of the Authorization header to who is asking. Missing, given twice, malformed, unknown, deleted and
   * expired are one and the same Refusal UNAUTHORIZED. Throws StoreUnavailable when nobody can say.
   */
  authenticate(authorization: readonly string[]): Promise<Caller>
  /** Waits for what is still being noted; nothing is noted afterwards. */
  close(): Promise<void>
}

const BEARER = /^Bearer +([^ ]+) *$/i

interface Entry {
  /** Taken before the database was asked: the answer is at most this old. */
  readonly askedAtMilliseconds: number
  readonly holder: Promise<Holder | undefined>
  /** Handed on from entry to entry: a note that hangs must not be started anew with every look-up. */
  readonly use: { notedAtMilliseconds: number }
}

interface Holder {
  readonly caller: Caller
  readonly expiresAtMilliseconds: number
  readonly lastUsedAtMilliseconds: number
}

/**
 * Remembers a good key for limits.keyCacheMilliseconds, so a deletion holds within that time on every instance and a busy
 * key costs few look-ups. A key that nobody holds is not remembered: a new key works at once.
 */
export function openAuthenticator({
  store,
  clock,
  log,
  pepper,
}: {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly pepper: SecretBytes
}): Authenticator {
  const entries = new Map<string, Entry>()
  const noting = new Set<Promise<void>>()
  let closed = false

  async function ask(digest: Uint8Array): Promise<Holder | undefined> {
    const found = await findKeyByDigest(store, digest)
    return found && sameDigest(found.digest, digest) ? holderOf(found.facts) : undefined
  }

  function lookUp(digest: Uint8Array): Entry {
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
      holder: ask(digest).then(
        (holder) => {
          if (holder === undefined) forget(name, entry)
          return holder
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
    if (entries.size <= limits.keyCacheEntriesMax) return
    for (const oldest of entries.keys()) {
      entries.delete(oldest)
      break
    }
  }

  function forget(name: string, entry: Entry): void {
    if (entries.get(name) === entry) entries.delete(name)
  }

  /** Coarsely, off the request's path; a note that fails is lost until the next one is due. */
  function noteUse(holder: Holder, use: Entry['use'], now: number): void {
    const lastNoted = Math.max(holder.lastUsedAtMilliseconds, use.notedAtMilliseconds)
    if (closed || now - lastNoted < limits.keyUseNotedSeconds * 1000) return
    use.notedAtMilliseconds = now
    const { keyId } = holder.caller
    const note = markKeyUsed(store, keyId, now)
      .catch((error: unknown) => log.debug({ keyId, err: error }, 'a key use was not noted'))
      .finally(() => noting.delete(note))
    noting.add(note)
  }

  return {
    authenticate: async (authorization) => {
      const [value, ...others] = authorization
      const text = BEARER.exec(value ?? '')?.[1]
      const key = text === undefined || others.length > 0 ? undefined : parseKey(text)
      if (key === undefined) throw new Refusal('UNAUTHORIZED')
      const entry = lookUp(keyDigest(key, pepper))
      const holder = await entry.holder
      const now = clock.nowMilliseconds()
      if (holder === undefined || holder.expiresAtMilliseconds <= now) {
        throw new Refusal('UNAUTHORIZED')
      }
      noteUse(holder, entry.use, now)
      return holder.caller
    },
    close: async () => {
      closed = true
      await Promise.all(noting)
    },
  }
}

function holderOf(facts: KeyFacts): Holder {
  const { accountId, keyId, plan, scopes } = facts
  return {
    caller: { accountId, keyId, plan, scopes: new Set(scopes) },
    expiresAtMilliseconds: facts.expiresAtMilliseconds ?? Infinity,
    lastUsedAtMilliseconds: facts.lastUsedAtMilliseconds ?? -Infinity,
  }
}
