import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { route } from '../http/route.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, MemberId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { systemRandom } from '../kernel/random.ts'
import { until } from '../kernel/until.ts'
import { putMembership } from './member-store.ts'
import { openTestPeople } from './test-people.ts'
import type { TestBrowser, TestPeople, TestPeopleInstance } from './test-people.ts'

const SOON = { seconds: 60 }

let scene: TestPeople
let here: TestPeopleInstance
let there: TestPeopleInstance
let accountId: AccountId
let memberId: MemberId
beforeAll(async () => {
  scene = await openTestPeople()
  here = await scene.start()
  there = await scene.start()
  accountId = await scene.anAccount('Shop', 'premium')
  const places = [{ accountId, role: 'owner' }] as const
  memberId = await scene.aMember({ email: 'ada@shop.example', name: 'Ada' }, places)
})
afterAll(() => scene.close())

const signedIn = async (who = memberId): Promise<TestBrowser> =>
  here.signIn(await scene.aLink({ kind: 'operator', memberId: who }))
const isIn = async (browser: TestBrowser, at = here) =>
  (await at.ask('GET', '/session', { as: { ...browser } })).status === 200

describe('a session', () => {
  test('says who is signed in, where they are a member, and what the page must send back', async () => {
    const ada = await signedIn()
    const { body, status } = await here.ask('GET', '/session', { as: ada })
    expect(status).toBe(200)
    const account = { accountId, name: 'Shop', role: 'owner', plan: 'premium' }
    expect(body).toMatchObject({
      member: { memberId, email: 'ada@shop.example', name: 'Ada', hasPassword: false, passkeys: 0 },
      operator: false,
      accounts: [account],
      selected: account,
      csrfToken: ada.csrfToken,
      sandbox: true,
      baseUrl: 'http://localhost:4021',
    })
    expect((await here.ask('GET', '/session')).status).toBe(401)
    expect((await here.ask('GET', '/api/session', { as: ada })).status).toBe(200)
  })

  test('is a cookie that no script reads, no other page sends and no other host gets', async () => {
    const link = await scene.aLink({ kind: 'operator', memberId })
    const { headers } = await here.ask('POST', '/session', { body: { link } })
    const [cookie = '', ...others] = headers.getSetCookie()
    expect(others).toEqual([])
    const [pair = '', ...attributes] = cookie.split('; ')
    expect(pair).toMatch(/^__Host-florin_session=[A-Za-z0-9_-]{43}$/)
    expect(attributes.toSorted()).toEqual(
      ['HttpOnly', 'Max-Age=43200', 'Path=/', 'SameSite=Strict', 'Secure'].toSorted(),
    )
  })

  test('never takes over a token that the browser came with, and ends the session of that one', async () => {
    const planted = `__Host-florin_session=${Buffer.alloc(32, 7).toString('base64url')}`
    const link = await scene.aLink({ kind: 'operator', memberId })
    const victim: TestBrowser = { cookie: planted, csrfToken: '' }
    expect((await here.ask('POST', '/session', { as: victim, body: { link } })).status).toBe(200)
    expect(victim.cookie).not.toBe(planted)
    expect(await isIn({ cookie: planted, csrfToken: '' })).toBe(false)

    const before = { ...victim }
    const again = await scene.aLink({ kind: 'operator', memberId })
    await here.ask('POST', '/session', { as: victim, body: { link: again } })
    expect(await isIn(victim)).toBe(true)
    await until('the one before is over', async () => !(await isIn(before)), SOON)
  })

  test('changes nothing without its own token, or for a page of another address', async () => {
    const ada = await signedIn()
    const other = await signedIn()
    const body = { name: 'Ada' }
    const attempts: readonly Record<string, string>[] = [
      { 'x-csrf-token': '' },
      { 'x-csrf-token': 'x' },
      { 'x-csrf-token': other.csrfToken },
      { 'x-csrf-token': ada.cookie.split('=')[1] ?? '' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': '' },
      { 'sec-fetch-site': '', origin: 'https://evil.example' },
      { 'sec-fetch-site': '', origin: 'null' },
      { 'sec-fetch-site': 'cross-site', origin: here.url },
    ]
    for (const headers of attempts) {
      const answer = await here.ask('PATCH', '/me', { as: ada, body, headers })
      expect(answer.status, JSON.stringify(headers)).toBe(403)
    }
    const fine = { 'sec-fetch-site': '', origin: here.url }
    expect((await here.ask('PATCH', '/me', { as: ada, body, headers: fine })).status).toBe(200)
    expect((await here.ask('PATCH', '/me', { as: ada, body })).status).toBe(200)
  })

  test('cannot be begun by a page of another address', async () => {
    const link = await scene.aLink({ kind: 'operator', memberId })
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }]) {
      expect((await here.ask('POST', '/session', { body: { link }, headers })).status).toBe(403)
    }
    expect((await here.ask('POST', '/session', { body: { link } })).status).toBe(200)
  })

  test('that is ended is over on another instance within a second', async () => {
    const [ada, other] = [await signedIn(), await signedIn()]
    expect(await isIn(ada, there)).toBe(true)
    expect(await isIn(other, there)).toBe(true)
    const { body } = await here.ask('GET', '/session', { as: other })
    expect(
      (await here.ask('DELETE', `/sessions/${String(body['sessionId'])}`, { as: ada })).status,
    ).toBe(200)
    // What an instance may still believe is bounded by its cache alone, whose age this clock sets.
    scene.time.ahead += limits.keyCacheMilliseconds
    expect(limits.keyCacheMilliseconds).toBeLessThan(1_000)
    expect(await isIn(other, there)).toBe(false)
    expect(await isIn(other, here)).toBe(false)

    const out = await here.ask('DELETE', '/session', { as: { ...ada } })
    expect(out.headers.getSetCookie()[0]).toMatch(/^__Host-florin_session=;.*Max-Age=0$/)
    scene.time.ahead += limits.keyCacheMilliseconds
    expect(await isIn(ada, there)).toBe(false)
  })

  test('that is ended, or has less of a role, while a request of it waits is so when that asks again', async () => {
    let meanwhile: (browser: TestBrowser) => Promise<unknown>
    const ada = await signedIn()
    const waiting = await scene.start([
      route(endpoints.fetchPayment, async ({ demandAdmitted }) => {
        await meanwhile(ada)
        scene.time.ahead += limits.keyCacheMilliseconds
        await demandAdmitted()
        throw new Refusal('NOT_FOUND')
      }),
    ])
    const body = { walletAddress: '0x', url: 'https://shop.example/', maxAmount: '1' }
    const statusAfter = async (happens: typeof meanwhile) => {
      meanwhile = happens
      return (await waiting.ask('POST', '/payment/fetch', { as: { ...ada }, body })).status
    }
    const give = (role: 'owner' | 'viewer') =>
      scene.database.store.inTransaction('service', (tx) =>
        putMembership(tx, { memberId, accountId, role }, Date.now()),
      )
    expect(await statusAfter(async () => undefined)).toBe(404)
    expect(await statusAfter(() => give('viewer'))).toBe(403)
    await give('owner')
    scene.time.ahead += limits.keyCacheMilliseconds
    expect(await statusAfter((as) => here.ask('DELETE', '/session', { as: { ...as } }))).toBe(401)
  })

  test('cannot be ended by another person, and looks to them as if there were none', async () => {
    const ada = await signedIn()
    const eve = await signedIn(await scene.aMember())
    const { body } = await here.ask('GET', '/session', { as: ada })
    const path = `/sessions/${String(body['sessionId'])}`
    expect((await here.ask('DELETE', path, { as: eve })).status).toBe(404)
    const { body: list } = await here.ask('GET', '/sessions', { as: eve })
    expect(list['sessions']).toMatchObject([
      { current: true, method: 'link', address: '127.0.0.1' },
    ])
    expect(await isIn(ada)).toBe(true)
  })

  test('ends when nothing is asked for too long, and anyway after its hours', async () => {
    const idle = await signedIn()
    scene.time.ahead += limits.sessionIdleSeconds * 1000 - 60_000
    expect(await isIn(idle)).toBe(true)
    scene.time.ahead += limits.sessionIdleSeconds * 1000
    expect(await isIn(idle)).toBe(false)

    const busy = await signedIn()
    const steps = (limits.sessionHours * 3_600) / (limits.sessionIdleSeconds / 2)
    for (let step = 1; step < steps; step += 1) {
      scene.time.ahead += limits.sessionIdleSeconds * 500
      const lives = await isIn(busy)
      expect(lives, `step ${step}`).toBe(true)
      await seen(busy)
    }
    scene.time.ahead += limits.sessionIdleSeconds * 500
    expect(await isIn(busy)).toBe(false)
  })

  test('of another account begins with a new token, and never reaches past its hours', async () => {
    const second = await scene.anAccount('Second')
    const who = await scene.aMember({}, [
      { accountId, role: 'owner' },
      { accountId: second, role: 'viewer' },
    ])
    const browser = await signedIn(who)
    const before = { ...browser }
    const first = await here.ask('GET', '/session', { as: browser })
    scene.time.ahead += 60_000
    const chosen = await here.ask('PUT', '/session/account', {
      as: browser,
      body: { accountId: second },
    })
    expect(chosen.body).toMatchObject({ selected: { accountId: second, role: 'viewer' } })
    expect(browser.cookie).not.toBe(before.cookie)
    expect(browser.csrfToken).not.toBe(before.csrfToken)
    expect(chosen.body['expiresAt']).toBe(first.body['expiresAt'])
    expect(await isIn(before)).toBe(false)
    expect((await here.ask('GET', '/keys', { as: browser })).status).toBe(403)

    for (const foreign of [await scene.anAccount('Foreign'), newId(systemRandom, 'acct'), 'x']) {
      const body = { accountId: foreign }
      expect((await here.ask('PUT', '/session/account', { as: browser, body })).status).toBe(404)
    }
    expect(await isIn(browser)).toBe(true)
  })
})

/** Waits until the use of a session is noted, which happens off the request's path. */
async function seen(browser: TestBrowser): Promise<void> {
  const { body } = await here.ask('GET', '/session', { as: { ...browser } })
  const since = Date.now() + scene.time.ahead - limits.sessionSeenNotedSeconds * 1000
  await until(
    'the use is noted',
    async () => {
      const rows = await scene.database.store.query(
        'test_seen',
        'select from sessions where id = $1 and seen_at >= to_timestamp($2 / 1000.0)',
        [body['sessionId'], since],
      )
      return rows.length === 1
    },
    SOON,
  )
}
