import { Refusal } from '@florin/wire/errors.ts'
import type { Role } from '@florin/wire/role.ts'
import type { AddressLimit } from '../access/address-limit.ts'
import { accountPlan, openAccounts } from '../access/account-store.ts'
import type { Plan } from '../kernel/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, SessionId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import type { Random } from '../kernel/random.ts'
import type { Secret } from '../kernel/secret.ts'
import type { Store, Tx } from '../store/postgres.ts'
import {
  findSessionByDigest,
  findSessions,
  insertSession,
  markSessionSeen,
} from './session-store.ts'
import type { FoundSession, NewSession } from './session-store.ts'
import { endOldestSessions } from './session-ends-store.ts'
import { isLive } from './is-live.ts'
import { newToken, tokenDigest } from './token.ts'

const SESSION_MILLISECONDS = limits.sessionHours * 3_600_000

/** A live session with what the plan of its account allows. */
export interface SessionHolder extends Omit<FoundSession, 'account'> {
  readonly account: {
    readonly accountId: AccountId
    readonly role: Role
    readonly plan: Plan
    readonly exceptions: ReadonlyMap<string, boolean>
  } | null
}

/** A session that has begun, and the only time that its token exists outside the browser. */
export interface BegunSession {
  readonly session: NewSession
  readonly token: Secret
}

/** The sessions of people, as an instance sees them. */
export interface Sessions {
  /**
   * Whose token it is. Unknown, ended, idle for too long and past its time are one and the same Refusal UNAUTHORIZED; RATE_LIMIT
   * once the address has tried too many.
   */
  find(token: Secret, address: string): Promise<SessionHolder>
  /** Begins one in the caller's transaction, of the scope `service`. `expiresAtMilliseconds` is of the one that it takes the place of. */
  begin(
    tx: Tx,
    order: Omit<
      NewSession,
      'sessionId' | 'createdAtMilliseconds' | 'seenAtMilliseconds' | 'expiresAtMilliseconds'
    > & { readonly expiresAtMilliseconds?: number },
  ): Promise<BegunSession>
  /** Of these those that are live and have an account that is not suspended, each with its plan. */
  live(sessionIds: readonly SessionId[]): Promise<ReadonlyMap<SessionId, Plan>>
  /** What the session is now. @throws {Refusal} UNAUTHORIZED when it is not live */
  holderOf(sessionId: SessionId): Promise<SessionHolder>
  /** This instance asks the database again for everything: something that it remembers has changed. */
  forgetAll(): void
  /** Waits for what is still being noted; nothing is noted afterwards. */
  close(): Promise<void>
}

interface Entry {
  readonly askedAtMilliseconds: number
  readonly found: Promise<SessionHolder | undefined>
  readonly use: { notedAtMilliseconds: number }
}

/**
 * Remembers a session for limits.keyCacheMilliseconds, so an end, a removal from the account or another role holds within that time on
 * every instance.
 */
export function openSessions({
  store,
  clock,
  random,
  log,
  addresses,
}: {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly addresses: Pick<AddressLimit, 'count' | 'countLookUp'>
}): Sessions {
  const entries = new Map<string, Entry>()
  const noting = new Set<Promise<void>>()
  let closed = false

  async function holderFrom(found: FoundSession): Promise<SessionHolder> {
    const { account } = found
    if (account === null) return { ...found, account }
    const facts = await accountPlan(store, account.accountId)
    return { ...found, account: facts === undefined ? null : { ...account, ...facts } }
  }

  async function ask(digest: Uint8Array, address: string, isKnown: boolean) {
    const allowance = isKnown ? undefined : addresses.countLookUp(address)
    if (allowance?.allowed === false) throw allowance.refusal
    try {
      const found = await findSessionByDigest(store, digest)
      if (found === undefined) return undefined
      if (allowance?.allowed) allowance.giveBack()
      return await holderFrom(found)
    } catch (error) {
      if (allowance?.allowed) allowance.giveBack()
      throw error
    }
  }

  function lookUp(token: Secret, address: string): Entry {
    const digest = tokenDigest(token)
    const name = Buffer.from(digest).toString('latin1')
    const now = clock.nowMilliseconds()
    const known = entries.get(name)
    const age = known === undefined ? -1 : now - known.askedAtMilliseconds
    if (known !== undefined && age >= 0 && age < limits.keyCacheMilliseconds) return known
    const forget = () => {
      if (entries.get(name)?.found === entry.found) entries.delete(name)
    }
    const found = ask(digest, address, known !== undefined).then(
      (holder) => {
        if (holder === undefined) forget()
        return holder
      },
      (error: unknown) => {
        forget()
        throw error
      },
    )
    const use = known?.use ?? { notedAtMilliseconds: -Infinity }
    const entry: Entry = { askedAtMilliseconds: now, found, use }
    entries.delete(name)
    entries.set(name, entry)
    if (entries.size > limits.sessionCacheEntriesMax) {
      const [oldest] = entries.keys()
      if (oldest !== undefined) entries.delete(oldest)
    }
    return entry
  }

  /** Coarsely, off the request's path. */
  function noteUse(holder: SessionHolder, use: Entry['use'], now: number): void {
    const lastNoted = Math.max(holder.seenAtMilliseconds, use.notedAtMilliseconds)
    if (closed || now - lastNoted < limits.sessionSeenNotedSeconds * 1000) return
    use.notedAtMilliseconds = now
    const { sessionId } = holder
    const note = markSessionSeen(store, sessionId, now)
      .catch((error: unknown) =>
        log.debug({ sessionId, err: error }, 'a use of a session was not noted'),
      )
      .finally(() => noting.delete(note))
    noting.add(note)
  }

  return {
    find: async (token, address) => {
      const entry = lookUp(token, address)
      const holder = await entry.found
      const now = clock.nowMilliseconds()
      if (holder === undefined || !isLive(holder, now)) {
        addresses.count(address)
        throw signedOut()
      }
      noteUse(holder, entry.use, now)
      return holder
    },
    begin: async (tx, order) => {
      const now = clock.nowMilliseconds()
      const token = newToken(random)
      const session = {
        expiresAtMilliseconds: now + SESSION_MILLISECONDS,
        ...order,
        sessionId: newId(random, 'ses'),
        createdAtMilliseconds: now,
        seenAtMilliseconds: now,
      }
      await insertSession(tx, session, tokenDigest(token))
      await endOldestSessions(tx, order.memberId, limits.sessionsPerMemberMax, now)
      return { session, token }
    },
    live: async (sessionIds) => {
      const now = clock.nowMilliseconds()
      const found = (await findSessions(store, sessionIds)).flatMap((session) =>
        isLive(session, now) && session.account !== null
          ? [{ sessionId: session.sessionId, accountId: session.account.accountId }]
          : [],
      )
      const open = await openAccounts(
        store,
        found.map(({ accountId }) => accountId),
      )
      return new Map(
        found.flatMap(({ sessionId, accountId }) => {
          const plan = open.get(accountId)
          return plan === undefined ? [] : [[sessionId, plan] as const]
        }),
      )
    },
    holderOf: async (sessionId) => {
      const [found] = await findSessions(store, [sessionId])
      if (found === undefined || !isLive(found, clock.nowMilliseconds())) throw signedOut()
      return await holderFrom(found)
    },
    // Asked again, and not unknown: bad tokens of the same address must not keep the good ones out.
    forgetAll: () => {
      for (const [name, entry] of entries) {
        entries.set(name, { ...entry, askedAtMilliseconds: -Infinity })
      }
    },
    close: async () => {
      closed = true
      await Promise.all(noting)
    },
  }
}

/** The one answer to whoever has no live session. */
export function signedOut(): Refusal {
  return new Refusal('UNAUTHORIZED', { message: 'Nobody is signed in. Sign in again.' })
}
