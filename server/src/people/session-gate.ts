import { Refusal } from '@florin/wire/errors.ts'
import { ROLE_SCOPES } from '@florin/wire/role.ts'
import { rateHeaders, wholeSecondsLeft } from '../access/rate-headers.ts'
import type { Taken } from '../access/windows.ts'
import type { Arrival, Gate } from '../http/gate.ts'
import { isSameOrigin } from '../http/same-origin.ts'
import type { Caller, Person, Visitor } from '../kernel/caller.ts'
import { limits } from '../kernel/limits.ts'
import type { Secret } from '../kernel/secret.ts'
import { readSessionCookie } from './cookie.ts'
import { permitSession } from './permit-session.ts'
import type { SessionHolder, Sessions } from './sessions.ts'
import { csrfTokenOf, sameText } from './token.ts'

/**
 * Lets people in by the cookie of their session, and everybody else by their key. A request that says both is of the key: then nothing
 * came by itself. What changes something must come from a page of ours and carry the session's token.
 */
export function openSessionGate({
  keys,
  sessions,
  windows,
}: {
  readonly keys: Gate
  readonly sessions: Pick<Sessions, 'find'>
  readonly windows: { take(name: string, limit: number): Taken | Promise<Taken> }
}): Gate {
  async function admitSession(arrival: Arrival, token: Secret): Promise<Caller | Visitor> {
    const { address, endpoint, tell } = arrival
    const holder = await sessions.find(token, address)
    const limit = limits.sessionRequestsPerWindow
    // By the person, who may have a new session as often as they like.
    const taken = await windows.take(holder.memberId, limit)
    tell(rateHeaders('session', limit, taken))
    if (!taken.allowed) {
      throw new Refusal('RATE_LIMIT', {
        message: 'Too many requests of this session.',
        retryAfterSeconds: wholeSecondsLeft(taken),
      })
    }
    const csrfToken = csrfTokenOf(token)
    if (endpoint.method !== 'GET') refuseForeignPage(arrival, csrfToken)
    permitSession(holder, endpoint)
    return whoOf(holder, csrfToken)
  }

  async function admitSessionAgain(
    { address, endpoint }: Arrival,
    token: Secret,
  ): Promise<Caller | Visitor> {
    const holder = await sessions.find(token, address)
    permitSession(holder, endpoint)
    return whoOf(holder, csrfTokenOf(token))
  }

  return {
    ...keys,
    admit: (arrival) => {
      const token = sessionTokenOf(arrival)
      return token === undefined ? keys.admit(arrival) : admitSession(arrival, token)
    },
    admitAgain: (arrival) => {
      const token = sessionTokenOf(arrival)
      return token === undefined ? keys.admitAgain(arrival) : admitSessionAgain(arrival, token)
    },
  }
}

function sessionTokenOf({ authorization, header = () => [] }: Arrival): Secret | undefined {
  return authorization.length > 0 ? undefined : readSessionCookie(header('cookie'))
}

/** Who asks in that session. */
export function whoOf(holder: SessionHolder, csrfToken: Secret): Caller | Visitor {
  const { account, sessionId, memberId, calledName, isOperator } = holder
  const role = account?.role ?? null
  const person: Person = { sessionId, memberId, calledName, role, isOperator, csrfToken }
  if (account === null) return { person }
  const { accountId, plan } = account
  return { accountId, keyId: sessionId, plan, scopes: new Set(ROLE_SCOPES[account.role]), person }
}

function refuseForeignPage({ header = () => [] }: Arrival, csrfToken: Secret): void {
  const [given, ...others] = header('x-csrf-token')
  const isOurs = isSameOrigin({
    site: header('sec-fetch-site').at(0),
    origin: header('origin').at(0),
    host: header('host').at(0),
  })
  if (!isOurs) {
    throw new Refusal('FORBIDDEN', {
      message: 'This session is for pages of this address.',
      details: { Origin: 'must be the address of this service' },
    })
  }
  if (given === undefined || others.length > 0 || !sameText(given, csrfToken.reveal())) {
    throw new Refusal('FORBIDDEN', {
      message: 'The request does not carry the token of its session.',
      details: { 'X-CSRF-Token': 'must be csrfToken of GET /session' },
    })
  }
}
