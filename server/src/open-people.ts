import { openAddressLimit } from './access/address-limit.ts'
import type { AddressLimit } from './access/address-limit.ts'
import { openAuthenticator } from './access/authenticate.ts'
import { openGate } from './access/gate.ts'
import { openSharedWindows } from './access/shared-windows.ts'
import { openWindows } from './access/windows.ts'
import type { Windows } from './access/windows.ts'
import { openAudit } from './audit/audit.ts'
import { auditRoutes } from './audit/routes.ts'
import { loadInstallationSecret } from './custody/installation-secrets.ts'
import type { KeyWrapper } from './custody/key-wrapper.ts'
import type { Route } from './http/route.ts'
import type { Gate } from './http/gate.ts'
import type { Caller } from './kernel/caller.ts'
import type { SessionId } from './kernel/id.ts'
import { limits } from './kernel/limits.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { Log } from './kernel/log.ts'
import { Secret } from './kernel/secret.ts'
import { forgetChallenges } from './people/challenge-store.ts'
import type { PeopleDeps } from './people/deps.ts'
import { keyRoutes } from './people/key-routes.ts'
import { forgetLinks } from './people/link-store.ts'
import { meRoutes } from './people/me-routes.ts'
import { memberRoutes } from './people/member-routes.ts'
import { openPasswords } from './people/password.ts'
import { openSessionGate, whoOf } from './people/session-gate.ts'
import { sessionRoutes } from './people/session-routes.ts'
import { forgetSessions } from './people/session-store.ts'
import { openSessions } from './people/sessions.ts'
import { openThrottle } from './people/throttle.ts'
import { forgetAttempts } from './people/throttle-store.ts'
import type { Tx } from './store/postgres.ts'
import type { Redis } from './store/redis.ts'

/** Who may come in, keys and people, and everything by which people use the service, put together. */
export interface People {
  readonly routes: readonly Route[]
  readonly addresses: AddressLimit
  /** Lets in keys and sessions. */
  readonly gate: Gate
  /** For whoever keeps a connection open. */
  readonly holders: {
    live: PeopleDeps['sessions']['live']
    callerOf(sessionId: SessionId): Promise<Caller>
  }
  /** Waits for what is still being noted. */
  close(): Promise<void>
}

export async function openPeople(
  options: Omit<PeopleDeps, 'audit' | 'passwords' | 'sessions' | 'throttle'> & {
    readonly log: Log
    readonly wrapper: KeyWrapper
    /** Where instances share what they count; undefined, each counts for itself. */
    readonly redis: Redis | undefined
    /** What this instance counts of its callers by itself. */
    readonly windows: Windows
  },
): Promise<People> {
  const { clock, redis, windows: alone } = options
  const windows = redis === undefined ? alone : openSharedWindows({ redis, alone })
  const addresses = openAddressLimit({ windows: openWindows({ clock }) })
  const authenticator = openAuthenticator({ ...options, addresses })
  const keys = openGate({ authenticator, addresses, windows })
  const sessions = openSessions({ ...options, addresses })
  const deps: PeopleDeps = {
    ...options,
    sessions,
    audit: openAudit(options),
    throttle: openThrottle(options),
    passwords: openPasswords({ pepper: await loadInstallationSecret(options, 'password-pepper') }),
  }
  return {
    addresses,
    routes: [
      ...sessionRoutes(deps),
      ...meRoutes(deps),
      ...memberRoutes(deps),
      ...keyRoutes(deps),
      ...auditRoutes(deps),
    ],
    gate: openSessionGate({ keys, sessions, windows }),
    holders: {
      live: (sessionIds) => sessions.live(sessionIds),
      callerOf: async (sessionId) => {
        // A connection changes nothing, so nothing is asked of its token.
        const who = whoOf(await sessions.holderOf(sessionId), new Secret(''))
        if (who.accountId === undefined) throw new Refusal('FORBIDDEN')
        return who
      },
    },
    close: async () => {
      await authenticator.close()
      await sessions.close()
    },
  }
}

const FORGET_MAX = 10_000
const DAY_MILLISECONDS = 86_400_000

/** Removes what opened sessions, and sessions, that have had their time, a bounded number at a time. Says whether more may wait. */
export async function forgetPeople(tx: Tx, nowMilliseconds: number): Promise<boolean> {
  const before = nowMilliseconds - limits.sessionsKeptDays * DAY_MILLISECONDS
  const removed = [
    await forgetChallenges(tx, nowMilliseconds, FORGET_MAX),
    await forgetAttempts(tx, nowMilliseconds, FORGET_MAX),
    await forgetLinks(tx, before, FORGET_MAX),
    await forgetSessions(tx, before, FORGET_MAX),
  ]
  return Math.max(...removed) >= FORGET_MAX
}
