import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { limits } from '../kernel/limits.ts'
import { Secret, SecretBytes } from '../kernel/secret.ts'
import { openPasswords } from './password.ts'
import { testAuthenticator } from './test-authenticator.ts'
import { ORIGIN, openTestPeople } from './test-people.ts'
import type { TestPeople, TestPeopleInstance } from './test-people.ts'

const FIRST = 'correct horse battery staple'
const SECOND = 'another sentence, just as long'

let scene: TestPeople
let here: TestPeopleInstance
let there: TestPeopleInstance
beforeAll(async () => {
  scene = await openTestPeople()
  here = await scene.start()
  there = await scene.start()
})
afterAll(() => scene.close())

let people = 0
/** Somebody with a password, from an address of their own. */
async function aPerson(password = FIRST) {
  people += 1
  const email = `person-${people}@shop.example`
  const from = `198.51.${people}.1`
  const memberId = await scene.aMember({ email })
  const browser = await here.signIn(await scene.aLink({ kind: 'operator', memberId }))
  const set = (body: object) => here.ask('POST', '/me/password', { as: browser, body, from })
  const enter = (text: string, at = here, address = from, whom = email) =>
    at.ask('POST', '/session', { body: { email: whom, password: text }, from: address })
  expect((await set({ password })).status).toBe(200)
  return { browser, email, from, memberId, set, enter }
}

describe('a password', () => {
  test('opens a session, whatever the case of the address, on any instance', async () => {
    const ada = await aPerson()
    expect((await ada.enter(FIRST, there)).status).toBe(200)
    const upper = ada.email.toUpperCase()
    expect((await ada.enter(FIRST, here, ada.from, upper)).body).toMatchObject({
      member: { email: ada.email, hasPassword: true },
    })
  })

  test('that is wrong is told the same as an address that nobody has, and an account without one', async () => {
    const ada = await aPerson()
    const memberId = await scene.aMember({ email: 'no-password@shop.example' })
    const answers = [
      await ada.enter(SECOND),
      await ada.enter(FIRST, here, ada.from, 'nobody@shop.example'),
      await ada.enter(FIRST, here, ada.from, 'no-password@shop.example'),
    ]
    const said = answers.map(({ body, status }) => {
      const { requestId: _, ...error } = Object(body['error'])
      return { status, error }
    })
    expect(said[0]?.status).toBe(401)
    expect(said[1]).toEqual(said[0])
    expect(said[2]).toEqual(said[0])
    expect(JSON.stringify(said)).not.toContain(memberId)
  })

  test('is changed by whoever knows it, ends every other session and gives this one a new token', async () => {
    const ada = await aPerson()
    const other = await ada.enter(FIRST)
    const elsewhere = {
      cookie: other.headers.getSetCookie()[0]?.split(';')[0] ?? '',
      csrfToken: '',
    }
    const before = { ...ada.browser }
    expect((await ada.set({ password: SECOND })).body).toMatchObject({
      error: { details: { currentPassword: 'is required' } },
    })
    expect((await ada.set({ password: SECOND, currentPassword: SECOND })).body).toMatchObject({
      error: { details: { currentPassword: 'is wrong' } },
    })
    expect((await ada.set({ password: SECOND, currentPassword: FIRST })).status).toBe(200)
    expect(ada.browser.cookie).not.toBe(before.cookie)
    expect((await here.ask('GET', '/session', { as: ada.browser })).status).toBe(200)
    expect((await here.ask('GET', '/session', { as: before })).status).toBe(401)
    expect((await here.ask('GET', '/session', { as: elsewhere })).status).toBe(401)
    expect((await ada.enter(FIRST)).status).toBe(401)
    expect((await ada.enter(SECOND)).status).toBe(200)
  })

  test('where there was none is set by whoever finds a page open only if nothing else signs its person in', async () => {
    const origin = { origin: ORIGIN, rpId: 'localhost' }
    const before = scene.time.ahead
    const answers: unknown[] = []
    for (const hasPasskey of [true, false]) {
      people += 1
      const memberId = await scene.aMember({ email: `person-${people}@shop.example` })
      const browser = await here.signIn(await scene.aLink({ kind: 'operator', memberId }))
      const asked = { as: browser, from: `198.51.${people}.1` }
      if (hasPasskey) {
        const { body } = await here.ask('POST', '/me/passkeys/options', asked)
        const challenge = String(Reflect.get(Object(body['options']), 'challenge'))
        const response = testAuthenticator().create({ challenge, ...origin })
        const made = { ...asked, body: { name: 'Laptop', response } }
        expect((await here.ask('POST', '/me/passkeys', made)).status).toBe(200)
      }
      scene.time.ahead += limits.sessionFreshMinutes * 60_000 + 1_000
      const set = { ...asked, body: { password: FIRST } }
      answers.push((await here.ask('POST', '/me/password', set)).status)
      scene.time.ahead = before
      if (hasPasskey) answers.push((await here.ask('POST', '/me/password', set)).status)
    }
    expect(answers).toEqual([403, 200, 200])
  })

  test('needs an address to sign in with, and some length', async () => {
    const memberId = await scene.aMember()
    const browser = await here.signIn(await scene.aLink({ kind: 'operator', memberId }))
    const set = (password: string) =>
      here.ask('POST', '/me/password', { as: browser, body: { password }, from: '198.18.0.1' })
    expect((await set(FIRST)).body).toMatchObject({
      error: { details: { email: expect.stringContaining('PATCH /me') } },
    })
    expect((await set('elevenchars')).status).toBe(400)
    const taken = (await aPerson()).email
    const name = (email: string) => here.ask('PATCH', '/me', { as: browser, body: { email } })
    expect((await name(taken.toUpperCase())).status).toBe(400)
    expect((await name('fresh@shop.example')).status).toBe(200)
    expect((await set(FIRST)).status).toBe(200)
  })

  test('may be guessed a few times, over two instances together, and then not even rightly', async () => {
    const ada = await aPerson()
    let refused = 0
    for (let attempt = 0; attempt < limits.signInsPerEmail + 2; attempt += 1) {
      const at = attempt % 2 === 0 ? here : there
      const answer = await ada.enter(SECOND, at, `100.64.${attempt}.1`)
      expect([401, 429]).toContain(answer.status)
      if (answer.status !== 429) continue
      refused += 1
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect(refused).toBe(2)
    expect((await ada.enter(FIRST, there, '100.65.0.1')).status).toBe(429)
    scene.time.ahead += limits.signInWindowSeconds * 1000
    expect((await ada.enter(FIRST, there, '100.65.0.1')).status).toBe(200)
  })

  test('may be guessed from one address a few times, whomever it is about', async () => {
    const statuses: number[] = []
    const from = '100.66.0.1'
    for (let attempt = 0; attempt <= limits.signInsPerAddress; attempt += 1) {
      const body = { link: Buffer.alloc(32, attempt).toString('base64url') }
      const at = attempt % 2 === 0 ? here : there
      statuses.push((await at.ask('POST', '/session', { body, from })).status)
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(limits.signInsPerAddress)
    expect(statuses.at(-1)).toBe(429)
  })

  test('stands in no answer, no log and no audit, and in the database as nothing but a hash', async () => {
    const password = 'a canary that must not be seen'
    const ada = await aPerson(password)
    const answers = [
      await ada.enter(password),
      await ada.enter(`${password}!`),
      await here.ask('GET', '/session', { as: ada.browser }),
      await here.ask('GET', '/sessions', { as: ada.browser }),
      await here.ask('PATCH', '/me', { as: ada.browser, body: { name: 'Ada' } }),
    ]
    const { store } = scene.database
    const [stored] = await store.query<{ hash: string }>(
      'test_hash',
      'select hash from passwords where member_id = $1',
      [ada.memberId],
    )
    expect(stored?.hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    const audit = await store.query<{ row: string }>(
      'test_audit',
      'select to_jsonb(a)::text as row from audit_log a',
    )
    const shown = [
      ...answers.map(({ text }) => text),
      ...scene.logged,
      ...audit.map(({ row }) => row),
    ].join('\n')
    expect(audit.length).toBeGreaterThan(0)
    expect(scene.logged.length).toBeGreaterThan(0)
    for (const secret of [password, stored?.hash ?? '', 'argon2id', ada.browser.cookie]) {
      expect(shown).not.toContain(secret)
    }
  })
})

describe('hashing', () => {
  test('is bound to the installation, salted, and equal for the same letters written otherwise', async () => {
    const passwords = openPasswords({ pepper: new SecretBytes(new Uint8Array(32).fill(1)) })
    const others = openPasswords({ pepper: new SecretBytes(new Uint8Array(32).fill(2)) })
    const composed = new Secret('caf\u00e9 in the morning')
    const [one, two] = [await passwords.hash(composed), await passwords.hash(composed)]
    expect(one).not.toBe(two)
    expect(await passwords.verify(new Secret('cafe\u0301 in the morning'), one)).toBe(true)
    expect(await others.verify(composed, one)).toBe(false)
    expect(await passwords.verify(composed, undefined)).toBe(false)
  })

  test('of more than a few at once is refused', async () => {
    const passwords = openPasswords({ pepper: new SecretBytes(new Uint8Array(32).fill(1)) })
    const most = limits.passwordHashesMax + limits.passwordHashesWaitingMax
    const outcomes = await Promise.allSettled(
      Array.from({ length: most + 3 }, () => passwords.verify(new Secret('x'), undefined)),
    )
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(3)
    expect(await passwords.verify(new Secret('x'), undefined)).toBe(false)
  })
})
