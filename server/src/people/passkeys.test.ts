import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { limits } from '../kernel/limits.ts'
import { until } from '../kernel/until.ts'
import { lockMember } from './member-store.ts'
import { relyingPartyOf } from './relying-party.ts'
import { endOtherSessions } from './session-ends-store.ts'
import { testAuthenticator } from './test-authenticator.ts'
import type { Ask, TestAuthenticator } from './test-authenticator.ts'
import { ORIGIN, openTestPeople } from './test-people.ts'
import type { TestBrowser, TestPeople, TestPeopleInstance } from './test-people.ts'
import { WAITS_HERE } from '../store/test-waits.ts'

let scene: TestPeople
let here: TestPeopleInstance
let there: TestPeopleInstance
beforeAll(async () => {
  scene = await openTestPeople()
  here = await scene.start()
  there = await scene.start()
})
afterAll(() => scene.close())

const PAGE = { origin: ORIGIN, rpId: 'localhost' } as const

async function aPerson() {
  const memberId = await scene.aMember({ name: 'Ada' })
  return here.signIn(await scene.aLink({ kind: 'operator', memberId }))
}

async function challengeFor(path: string, as?: TestBrowser): Promise<string> {
  const { body, status } = await here.ask('POST', path, { as, from: '203.0.113.40' })
  expect(status).toBe(200)
  return String(Reflect.get(Object(body['options']), 'challenge'))
}

const register = async (
  as: TestBrowser,
  authenticator: TestAuthenticator,
  ask: Partial<Ask> = {},
) =>
  here.ask('POST', '/me/passkeys', {
    as,
    body: {
      name: 'Laptop',
      response: authenticator.create({
        challenge: await challengeFor('/me/passkeys/options', as),
        ...PAGE,
        ...ask,
      }),
    },
  })

let address = 0
const enter = (response: object, at = here) => {
  address += 1
  return at.ask('POST', '/session/passkey', { body: { response }, from: `203.0.114.${address}` })
}
const signIn = async (authenticator: TestAuthenticator, ask: Partial<Ask> = {}) =>
  enter(
    authenticator.get({
      challenge: await challengeFor('/session/passkey/options'),
      ...PAGE,
      ...ask,
    }),
  )

describe('a passkey', () => {
  test('is not made by a session that was ended while it was being made', async () => {
    const memberId = await scene.aMember({ name: 'Ada' })
    const ada = await here.signIn(await scene.aLink({ kind: 'operator', memberId }))
    const challenge = await challengeFor('/me/passkeys/options', ada)
    const body = { name: 'Thief', response: testAuthenticator().create({ challenge, ...PAGE }) }
    const { asked } = await scene.database.store.inTransaction('service', async (tx) => {
      // As whoever sets a password does, which ends every other session.
      await lockMember(tx, memberId)
      await endOtherSessions(tx, memberId, null, Date.now())
      const making = there.ask('POST', '/me/passkeys', { as: ada, body })
      await until(
        'the other waits for the person',
        async () => {
          const waiting = await tx.query(
            'test_waits',
            `select from ${WAITS_HERE} where locktype = 'transactionid'`,
          )
          return waiting.length > 0
        },
        { seconds: 60 },
      )
      return { asked: making }
    })
    expect((await asked).status).toBe(401)
    const again = await here.signIn(await scene.aLink({ kind: 'operator', memberId }))
    expect((await here.ask('GET', '/me/passkeys', { as: again })).body['passkeys']).toEqual([])
  })

  test('is made by who has just signed in, and not by who finds a page open', async () => {
    const ada = await aPerson()
    const before = scene.time.ahead
    scene.time.ahead += limits.sessionFreshMinutes * 60_000 - 1_000
    const challenge = await challengeFor('/me/passkeys/options', ada)
    scene.time.ahead += 2_000
    const refused = await here.ask('POST', '/me/passkeys/options', { as: ada })
    expect([refused.status, Object(refused.body['error']).code]).toEqual([403, 'FORBIDDEN'])
    const response = testAuthenticator().create({ challenge, ...PAGE })
    const late = await here.ask('POST', '/me/passkeys', {
      as: ada,
      body: { name: 'Laptop', response },
    })
    expect(late.status).toBe(403)
    scene.time.ahead = before
    expect((await register(ada, testAuthenticator())).status).toBe(200)
  })

  test('that the browser made signs its person in, on any instance, until it is deleted', async () => {
    const ada = await aPerson()
    const authenticator = testAuthenticator()
    const made = await register(ada, authenticator)
    expect(made.body).toMatchObject({ name: 'Laptop', synced: false, lastUsedAt: null })
    const passkeyId = String(made.body['passkeyId'])

    const challenge = await challengeFor('/session/passkey/options')
    const browser = await enter(authenticator.get({ challenge, ...PAGE }), there)
    expect(browser.status).toBe(200)
    expect(browser.body).toMatchObject({ member: { name: 'Ada', passkeys: 1 } })
    const { body } = await here.ask('GET', '/me/passkeys', { as: ada })
    expect(body['passkeys']).toMatchObject([{ passkeyId, lastUsedAt: expect.any(Number) }])

    const gone = await here.ask('DELETE', `/me/passkeys/${passkeyId}`, { as: ada })
    expect(gone.status).toBe(200)
    expect((await signIn(authenticator)).status).toBe(401)
    expect((await here.ask('DELETE', `/me/passkeys/${passkeyId}`, { as: ada })).status).toBe(404)
  })

  test('is refused for another page, another name, without a person who was verified, or for what nobody asked', async () => {
    const ada = await aPerson()
    const authenticator = testAuthenticator()
    expect((await register(ada, authenticator)).status).toBe(200)
    const wrong: readonly Partial<Ask>[] = [
      { origin: 'http://localhost:4022' },
      { origin: 'https://evil.example' },
      { rpId: 'evil.example' },
      { isVerified: false },
      { challenge: Buffer.alloc(32, 3).toString('base64url') },
    ]
    for (const ask of wrong) {
      expect((await signIn(authenticator, ask)).status, JSON.stringify(ask)).toBe(401)
      const other = await register(await aPerson(), testAuthenticator(), ask)
      expect(other.status, JSON.stringify(ask)).toBe(400)
    }
    expect((await signIn(testAuthenticator())).status).toBe(401)
    expect((await signIn(authenticator)).status).toBe(200)
  })

  test('answers a challenge once, in time, and the one that was meant for it', async () => {
    const ada = await aPerson()
    const authenticator = testAuthenticator()
    expect((await register(ada, authenticator)).status).toBe(200)

    const challenge = await challengeFor('/session/passkey/options')
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        enter(authenticator.get({ challenge, ...PAGE }), index % 2 === 0 ? here : there),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)

    const late = await challengeFor('/session/passkey/options')
    scene.time.ahead += limits.passkeyChallengeSeconds * 1000
    expect((await enter(authenticator.get({ challenge: late, ...PAGE }))).status).toBe(401)

    const ofOther = await challengeFor('/me/passkeys/options', await aPerson())
    expect((await enter(authenticator.get({ challenge: ofOther, ...PAGE }))).status).toBe(401)
    expect((await register(ada, testAuthenticator(), { challenge: ofOther })).status).toBe(400)
  })

  test('whose counter did not grow is a copy, and refused', async () => {
    const ada = await aPerson()
    const authenticator = testAuthenticator()
    expect((await register(ada, authenticator)).status).toBe(200)
    expect((await signIn(authenticator, { counter: 9 })).status).toBe(200)
    expect((await signIn(authenticator, { counter: 9 })).status).toBe(401)
    expect((await signIn(authenticator, { counter: 3 })).status).toBe(401)
    expect((await signIn(authenticator, { counter: 10 })).status).toBe(200)
  })

  test('belongs to one person, and is listed and deleted by nobody else', async () => {
    const [ada, eve] = [await aPerson(), await aPerson()]
    const authenticator = testAuthenticator()
    const made = await register(ada, authenticator)
    expect((await register(eve, authenticator)).status).toBe(400)
    expect((await here.ask('GET', '/me/passkeys', { as: eve })).body['passkeys']).toEqual([])
    const path = `/me/passkeys/${String(made.body['passkeyId'])}`
    expect((await here.ask('DELETE', path, { as: eve })).status).toBe(404)
    expect((await signIn(authenticator)).status).toBe(200)
  })
})

test('passkeys need an address with a name; loopback is localhost', () => {
  expect(relyingPartyOf('https://pay.example')).toEqual({
    id: 'pay.example',
    origin: 'https://pay.example',
  })
  const local = { id: 'localhost', origin: 'http://localhost:4020' }
  expect(relyingPartyOf('http://127.0.0.1:4020')).toEqual(local)
  expect(relyingPartyOf('http://[::1]:4020')).toEqual(local)
  expect(relyingPartyOf('http://localhost:4020')).toEqual(local)
  expect(relyingPartyOf('http://203.0.113.1:4020')).toBeUndefined()
  expect(relyingPartyOf('http://[2001:db8::1]')).toBeUndefined()
  expect(relyingPartyOf('')).toBeUndefined()
})
