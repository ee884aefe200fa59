import { createAccount } from '../access/create-account.ts'
import { setAccountPlan } from '../access/account-store.ts'
import { openWindows } from '../access/windows.ts'
import { localKeyWrapper } from '../custody/key-wrapper.ts'
import { openKeyEncryptionKey } from '../custody/key-encryption-key.ts'
import { readTrustedProxies } from '../http/client-address.ts'
import type { Route } from '../http/route.ts'
import { openTestServer } from '../http/test-server.ts'
import type { Plan } from '../kernel/caller.ts'
import { systemClock } from '../kernel/clock.ts'
import type { Clock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, MemberId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { SecretBytes } from '../kernel/secret.ts'
import { openPeople } from '../open-people.ts'
import type { People } from '../open-people.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { insertLink } from './link-store.ts'
import type { Link } from './link-store.ts'
import { insertMember, putMembership } from './member-store.ts'
import { newToken, tokenDigest } from './token.ts'

/** The page's own address in these tests: passkeys need a name. */
export const ORIGIN = 'http://localhost:4021'
/** Where requests come from unless a test says otherwise. */
export const HERE = '127.0.0.1'

/** What a browser would hold: its cookie, and what the page knows. */
export interface TestBrowser {
  cookie: string
  csrfToken: string
}

export interface TestAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
  readonly text: string
}

/** One instance over a database that others may share. */
export interface TestPeopleInstance {
  readonly url: string
  readonly people: People
  /** Asks as a page of this service in that browser would; without one, as a page in which nobody is signed in. */
  ask(
    method: string,
    path: string,
    options?: {
      readonly as?: TestBrowser | undefined
      readonly body?: object
      readonly from?: string
      /** Wins over what a page would send; an empty value leaves the header out. */
      readonly headers?: Readonly<Record<string, string>>
    },
  ): Promise<TestAnswer>
  /** Signs in with a link and gives the browser. */
  signIn(link: string): Promise<TestBrowser>
  close(): Promise<void>
}

export interface TestPeople {
  readonly database: TestDatabase
  /** `standsAt`: a moment that does not pass. */
  readonly time: { ahead: number; standsAt?: number }
  /** Every line that was logged. */
  readonly logged: string[]
  start(routes?: readonly Route[]): Promise<TestPeopleInstance>
  anAccount(name?: string, plan?: Plan): Promise<AccountId>
  aMember(
    facts?: Partial<{ email: string | null; name: string; isOperator: boolean }>,
    places?: readonly { accountId: AccountId; role: 'viewer' | 'developer' | 'owner' }[],
  ): Promise<MemberId>
  /** A link of that kind, good for a minute. */
  aLink(link: Link): Promise<string>
  close(): Promise<void>
}

/** A database with people, and instances over it, on a clock that tests set forward. */
export async function openTestPeople(): Promise<TestPeople> {
  const database = await openTestDatabase()
  const { store } = database
  const time: TestPeople['time'] = { ahead: 0 }
  const clock: Clock = {
    ...systemClock,
    nowMilliseconds: () => time.standsAt ?? systemClock.nowMilliseconds() + time.ahead,
  }
  const logged: string[] = []
  const log = openLog('debug', { write: (line: string) => void logged.push(line) })
  const running: TestPeopleInstance[] = []
  const text = new SecretBytes(new Uint8Array(systemRandom.bytes(32)))
  const proxies = readTrustedProxies('127.0.0.0/8')
  if (!proxies.ok) throw new Error(proxies.wrong.join())
  const trustedProxies = proxies.proxies

  async function start(routes: readonly Route[] = []): Promise<TestPeopleInstance> {
    const keyEncryptionKey = await openKeyEncryptionKey({ store, text, random: systemRandom })
    const people = await openPeople({
      ...{ store, clock, log, random: systemRandom },
      redis: undefined,
      windows: openWindows({ clock }),
      wrapper: localKeyWrapper({ keyEncryptionKey, random: systemRandom }),
      pepper: new SecretBytes(new Uint8Array(32).fill(7)),
      sandbox: true,
      baseUrl: () => ORIGIN,
    })
    const server = await openTestServer({
      routes: [...people.routes, ...routes],
      gate: people.gate,
      clock,
      log,
      trustedProxies,
    })
    const ask: TestPeopleInstance['ask'] = async (method, path, options = {}) => {
      const { as, body, from = HERE, headers = {} } = options
      const all: Record<string, string> = {
        'x-forwarded-for': from,
        'sec-fetch-site': 'same-origin',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(as === undefined ? {} : { cookie: as.cookie }),
        ...(as === undefined || method === 'GET' ? {} : { 'x-csrf-token': as.csrfToken }),
        ...headers,
      }
      const answer = await fetch(server.url + path, {
        method,
        headers: Object.entries(all).filter(([, value]) => value !== ''),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const said = await answer.text()
      const parsed = said === '' ? {} : JSON.parse(said)
      if (as !== undefined && answer.status === 200) keep(as, answer.headers, parsed)
      return { status: answer.status, headers: answer.headers, body: parsed, text: said }
    }
    const instance: TestPeopleInstance = {
      url: server.url,
      people,
      ask,
      signIn: async (link) => {
        const browser = { cookie: '', csrfToken: '' }
        const answer = await ask('POST', '/session', { as: browser, body: { link } })
        if (answer.status !== 200) throw new Error(answer.text)
        return browser
      },
      close: async () => {
        if (!running.includes(instance)) return
        running.splice(running.indexOf(instance), 1)
        await server.close()
        await people.close()
        keyEncryptionKey.erase()
      },
    }
    running.push(instance)
    return instance
  }

  return {
    database,
    time,
    logged,
    start,
    anAccount: async (name = 'Shop', plan = 'standard') => {
      const { accountId } = await createAccount({ store, clock, random: systemRandom }, name)
      await store.inTransaction('service', (tx) => setAccountPlan(tx, accountId, plan))
      return accountId
    },
    aMember: async (facts = {}, places = []) => {
      const memberId = newId(systemRandom, 'mem')
      const { email = null, name = 'Somebody', isOperator = false } = facts
      const now = clock.nowMilliseconds()
      await store.inTransaction('service', async (tx) => {
        await insertMember(tx, { memberId, email, name, isOperator }, now)
        for (const { accountId, role } of places) {
          await putMembership(tx, { memberId, accountId, role }, now)
        }
      })
      return memberId
    },
    aLink: async (link) => {
      const token = newToken(systemRandom)
      const now = clock.nowMilliseconds()
      await store.inTransaction('service', (tx) =>
        insertLink(tx, link, {
          digest: tokenDigest(token),
          createdAtMilliseconds: now,
          expiresAtMilliseconds: link.kind === 'sandbox' ? null : now + 60_000,
        }),
      )
      return token.reveal()
    },
    close: async () => {
      for (const instance of [...running]) await instance.close()
      await database.close()
    },
  }
}

/** What a browser does with an answer: its cookie, and the page's own memory. */
function keep(browser: TestBrowser, headers: Headers, body: Readonly<Record<string, unknown>>) {
  const [cookie] = headers.getSetCookie()
  if (cookie !== undefined) browser.cookie = cookie.split(';')[0] ?? ''
  if (typeof body['csrfToken'] === 'string') browser.csrfToken = body['csrfToken']
}
