import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { readTrustedProxies } from '../http/client-address.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import { openTestServer } from '../http/test-server.ts'
import type { Answered } from '../http/test-server.ts'
import { SCOPES } from '../kernel/caller.ts'
import type { Plan, Scope } from '../kernel/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import { systemClock } from '../kernel/clock.ts'
import type { AccountId, KeyId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import type { Random } from '../kernel/random.ts'
import { SecretBytes } from '../kernel/secret.ts'
import type { Store } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openAddressLimit } from './address-limit.ts'
import { openAuthenticator } from './authenticate.ts'
import { createAccount } from './create-account.ts'
import { createKey } from './create-key.ts'
import { openGate } from './gate.ts'
import { openWindows } from './windows.ts'

/** So that seconds are seen to be rounded up. */
const START = 1_790_000_000_250
/** Where requests come from unless a test says otherwise. */
export const HERE = '203.0.113.9'

/**
 * A service behind a real gate on a clock of the test's own: what passes the gate is answered 404 where a test has no routes of its own, and below
 * `/page` there are files.
 */
export interface TestDoor {
  readonly database: TestDatabase
  /** What tests set forward. */
  readonly time: { now: number }
  readonly clock: Clock
  /** What the rooms' use cases are given. */
  readonly deps: {
    readonly store: Store
    readonly clock: Clock
    readonly random: Random
    readonly pepper: SecretBytes
  }
  /** Queries that looked keys up. */
  readonly seen: { lookUps: number; batches: number }
  /** Lets every window end. */
  startAnew(): void
  aKey(
    plan: Plan,
    scopes?: readonly Scope[],
  ): Promise<{ accountId: AccountId; keyId: KeyId; text: string }>
  /** Reads a payment's status with a key. */
  status(key: string, from?: string): Promise<Answered>
  /** Asks without a key. */
  from(path: string, from: string, method?: string): Promise<Answered>
  /** Posts to a path with a key. */
  post(
    path: string,
    key: string,
    body: string,
    more?: Readonly<Record<string, string>>,
  ): Promise<Answered>
  /** Sends a payment with a key. */
  send(key: string, body: string, more?: Readonly<Record<string, string>>): Promise<Answered>
  close(): Promise<void>
}

export async function openTestDoor(
  routesOf?: (deps: TestDoor['deps']) => readonly Route[],
): Promise<TestDoor> {
  const database = await openTestDatabase()
  const time = { now: START }
  const clock: Clock = { ...systemClock, nowMilliseconds: () => time.now }
  const pepper = new SecretBytes(new Uint8Array(systemRandom.bytes(32)))
  const deps = { store: database.store, clock, random: systemRandom, pepper }
  const seen = { lookUps: 0, batches: 0 }
  const query: Store['query'] = (name, sql, values) => {
    if (name === 'access_find_key') seen.lookUps += 1
    if (name === 'access_find_keys') seen.batches += 1
    return database.store.query(name, sql, values)
  }
  const store = { ...database.store, query }
  const addresses = openAddressLimit({ windows: openWindows({ clock }) })
  const log = openLog('silent')
  const authenticator = openAuthenticator({ ...deps, store, log, addresses })
  const proxies = readTrustedProxies('127.0.0.0/8')
  if (!proxies.ok) throw new Error(proxies.wrong.join())
  const notThere = () => Promise.reject(new Refusal('NOT_FOUND'))
  const server = await openTestServer({
    routes: routesOf?.(deps) ?? [
      route(endpoints.sendPayment, notThere),
      route(endpoints.paymentStatus, notThere),
    ],
    files: {
      paths: ['/page', '/page/*'],
      read: async () => ({ status: 200, headers: {}, bytes: Buffer.from('{}') }),
    },
    gate: openGate({ authenticator, addresses, windows: openWindows({ clock }) }),
    trustedProxies: proxies.proxies,
    clock,
  })
  const post: TestDoor['post'] = (path, key, body, more = {}) =>
    server.ask('POST', path, {
      body,
      headers: { ...headersOf(key, HERE), 'content-type': 'application/json', ...more },
    })
  return {
    database,
    time,
    clock,
    deps,
    seen,
    startAnew: () => {
      time.now += limits.rateWindowSeconds * 1000
      time.now -= (time.now - START) % 1000
      Object.assign(seen, { lookUps: 0, batches: 0 })
    },
    aKey: async (plan, scopes = SCOPES) => {
      const { accountId } = await createAccount(deps, 'Sellers')
      const order = { accountId, name: 'till', mode: 'test', plan, scopes } as const
      const { key, facts } = await createKey(deps, { ...order, expiresAtMilliseconds: null })
      return { accountId, keyId: facts.keyId, text: key.reveal() }
    },
    status: (key, from = HERE) =>
      server.ask('GET', '/payment/status/pay_1', { headers: headersOf(key, from) }),
    from: (path, from, method = 'GET') =>
      server.ask(method, path, { headers: headersOf('', from) }),
    post,
    send: (key, body, more) => post('/payment/send', key, body, more),
    close: async () => {
      await server.close()
      await authenticator.close()
      await database.close()
    },
  }
}

function headersOf(key: string, from: string): Record<string, string> {
  return { authorization: key === '' ? '' : `Bearer ${key}`, 'x-forwarded-for': from }
}
