import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '@florin/wire/endpoints.ts'
import { SCOPES } from '@florin/wire/plan.ts'
import type { Role } from '@florin/wire/role.ts'
import { createKey } from '../access/create-key.ts'
import { route } from '../http/route.ts'
import type { AccountId } from '../kernel/id.ts'
import { systemClock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import { systemRandom } from '../kernel/random.ts'
import { SecretBytes } from '../kernel/secret.ts'
import { openTestPeople } from './test-people.ts'
import type { TestAnswer, TestBrowser, TestPeople, TestPeopleInstance } from './test-people.ts'

let scene: TestPeople
let here: TestPeopleInstance
let there: TestPeopleInstance
beforeAll(async () => {
  scene = await openTestPeople()
  const routes = [route(endpoints.listWallets, async () => ({ body: { wallets: [] } }))]
  here = await scene.start(routes)
  there = await scene.start(routes)
})
afterAll(() => scene.close())

async function someone(accountId: AccountId, role: Role): Promise<TestBrowser> {
  const memberId = await scene.aMember({}, [{ accountId, role }])
  return here.signIn(await scene.aLink({ kind: 'operator', memberId }))
}
const read = (key: unknown, at = here) =>
  at.ask('GET', '/wallets', { headers: { authorization: `Bearer ${String(key)}` } })
const create = (as: TestBrowser, body: object, headers = {}, at = here) =>
  at.ask('POST', '/keys', { as, body, headers })
const listed = async (as: TestBrowser) => {
  const { body } = await here.ask('GET', '/keys', { as })
  return Array.isArray(body['keys']) ? body['keys'] : []
}
const detailsOf = ({ body }: TestAnswer) => Reflect.get(Object(body['error']), 'details')

describe('keys', () => {
  test('are made on the page, shown once, work at once, and end on every instance within a second', async () => {
    const accountId = await scene.anAccount('Shop', 'premium')
    const owner = await someone(accountId, 'owner')
    const made = await create(owner, { name: 'till', scopes: ['read', 'write'] })
    const key = made.body['key']
    expect(made.body).toMatchObject({ name: 'till', plan: 'premium', mode: 'test' })
    expect(key).toMatch(/^florin_test_/)
    expect((await read(key)).status).toBe(200)
    expect((await read(key, there)).status).toBe(200)
    const { text } = await here.ask('GET', '/keys', { as: owner })
    expect(text).not.toContain(String(key))
    expect(text).toContain(String(key).slice(-4))

    const path = `/keys/${String(made.body['keyId'])}`
    expect((await here.ask('DELETE', path, { as: owner })).status).toBe(200)
    scene.time.ahead += limits.keyCacheMilliseconds
    for (const at of [here, there]) expect((await read(key, at)).status).toBe(401)
    expect((await here.ask('DELETE', path, { as: owner })).status).toBe(404)
    expect(await listed(owner)).toEqual([])
  })

  test('end by the year 9999 at the latest, at a time that everybody can read', async () => {
    const owner = await someone(await scene.anAccount(), 'owner')
    const order = { name: 'k', scopes: ['read'] }
    const expiresAt = Date.UTC(10_000, 0) - 1
    const made = await create(owner, { ...order, expiresAt })
    expect(made.status).toBe(200)
    const path = `/keys/${String(made.body['keyId'])}/rotate`
    const rotated = await here.ask('POST', path, { as: owner, body: {} })
    expect(rotated.body).toMatchObject({ previous: { expiresAt } })
    for (const late of [expiresAt + 1, 9e15, 1e16, 1e300]) {
      expect((await create(owner, { ...order, expiresAt: late })).status).toBe(400)
    }
  })

  test('are managed by developers, within what their role has, and not by viewers', async () => {
    const accountId = await scene.anAccount()
    const owner = await someone(accountId, 'owner')
    const developer = await someone(accountId, 'developer')
    const viewer = await someone(accountId, 'viewer')
    const order = { name: 'k', scopes: ['read'] }
    expect((await create(developer, order)).status).toBe(200)
    for (const ask of [
      create(viewer, order),
      here.ask('GET', '/keys', { as: viewer }),
      here.ask('GET', '/audit', { as: viewer }),
    ]) {
      expect((await ask).status).toBe(403)
    }
    const refused = await create(developer, { name: 'k', scopes: ['read', 'admin'] })
    expect(refused.status).toBe(403)
    expect(detailsOf(refused)).toEqual({ scopes: 'developer does not have admin' })
    const admin = await create(owner, { name: 'k', scopes: ['admin'] })
    expect(admin.status).toBe(200)
    // Rotating would show the developer a key that they may not make.
    const path = `/keys/${String(admin.body['keyId'])}/rotate`
    expect((await here.ask('POST', path, { as: developer, body: {} })).status).toBe(403)
    expect((await here.ask('POST', path, { as: owner, body: {} })).status).toBe(200)
    // Nor do they take away what they may not give.
    const one = `/keys/${String(admin.body['keyId'])}`
    expect((await here.ask('DELETE', one, { as: developer })).status).toBe(403)
    expect((await here.ask('DELETE', one, { as: owner })).status).toBe(200)
  })

  test('of the scope admin manage keys, too, and others do not', async () => {
    const accountId = await scene.anAccount()
    const owner = await someone(accountId, 'owner')
    const made = await Promise.all(
      SCOPES.map(async (scope) => ({
        scope,
        key: (await create(owner, { name: scope, scopes: [scope] })).body['key'],
      })),
    )
    for (const { scope, key } of made) {
      const headers = { authorization: `Bearer ${String(key)}` }
      const status = scope === 'admin' ? 200 : 403
      expect((await here.ask('GET', '/keys', { headers })).status, scope).toBe(status)
      const body = { name: 'made by a key', scopes: ['read'] }
      expect((await here.ask('POST', '/keys', { headers, body })).status, scope).toBe(status)
      for (const path of ['/session', '/members', '/me/passkeys', '/sessions']) {
        expect((await here.ask('GET', path, { headers })).status, path).toBe(403)
      }
    }
  })

  test('of another account are not there', async () => {
    const [mine, theirs] = [await scene.anAccount(), await scene.anAccount()]
    const [me, them] = [await someone(mine, 'owner'), await someone(theirs, 'owner')]
    const made = await create(them, { name: 'theirs', scopes: ['read'] })
    const path = `/keys/${String(made.body['keyId'])}`
    expect((await here.ask('DELETE', path, { as: me })).status).toBe(404)
    expect((await here.ask('POST', `${path}/rotate`, { as: me, body: {} })).status).toBe(404)
    expect(await listed(me)).toEqual([])
    expect((await read(made.body['key'])).status).toBe(200)
  })

  test('are rotated into one with the same name, scopes and plan, beside or instead of the old one', async () => {
    const accountId = await scene.anAccount('Shop', 'premium')
    const owner = await someone(accountId, 'owner')
    const old = await create(owner, { name: 'till', scopes: ['read', 'settle'] })
    const path = `/keys/${String(old.body['keyId'])}/rotate`
    const beside = await here.ask('POST', path, { as: owner, body: {} })
    expect(beside.body).toMatchObject({
      name: 'till',
      scopes: ['read', 'settle'],
      plan: 'premium',
      previous: { keyId: old.body['keyId'], expiresAt: null },
    })
    expect((await read(old.body['key'])).status).toBe(200)
    expect((await read(beside.body['key'])).status).toBe(200)

    const body = { previousValidSeconds: 60 }
    const soon = await here.ask('POST', path, { as: owner, body })
    expect(soon.body).toMatchObject({ previous: { expiresAt: expect.any(Number) } })
    expect((await read(old.body['key'], there)).status).toBe(200)
    scene.time.ahead += 61_000
    for (const at of [here, there]) {
      expect((await read(old.body['key'], at)).status).toBe(401)
      expect((await read(soon.body['key'], at)).status).toBe(200)
    }
    expect((await here.ask('POST', path, { as: owner, body: {} })).status).toBe(404)
  })

  test('are made once by one request, and a repeat is not told the key', async () => {
    const accountId = await scene.anAccount()
    const owner = await someone(accountId, 'owner')
    const headers = { 'idempotency-key': 'key-1' }
    const order = { name: 'once', scopes: ['read'] }
    const answers = await Promise.all(
      [here, there, here, there].map((at) => create(owner, order, headers, at)),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(answers.filter(({ body }) => body['key'] !== null)).toHaveLength(1)
    expect(new Set(answers.map(({ body }) => body['keyId'])).size).toBe(1)
    expect((await create(owner, { ...order, name: 'other' }, headers)).status).toBe(422)
    expect(await listed(owner)).toHaveLength(1)
  })

  test('are never more than an account may have, whoever makes them at once', async () => {
    const accountId = await scene.anAccount()
    const owner = await someone(accountId, 'owner')
    const deps = {
      ...{ store: scene.database.store, clock: systemClock, random: systemRandom },
      pepper: new SecretBytes(new Uint8Array(32).fill(7)),
    }
    const order = { accountId, name: 'k', mode: 'test', plan: 'standard' } as const
    for (let made = 0; made < limits.liveKeysPerAccountMax - 1; made += 1) {
      await createKey(deps, { ...order, scopes: ['read'], expiresAtMilliseconds: null })
    }
    const answers = await Promise.all(
      [here, there, here].map((at) => create(owner, { name: 'k', scopes: ['read'] }, {}, at)),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400])
    const [last] = await listed(owner)
    const path = `/keys/${String(Reflect.get(last, 'keyId'))}`
    expect((await here.ask('DELETE', path, { as: owner })).status).toBe(200)
    expect((await create(owner, { name: 'k', scopes: ['read'] })).status).toBe(200)
  })
})

describe('the audit log', () => {
  test('has every change with who, what and from where, for its account alone, and no secret', async () => {
    const [mine, theirs] = [await scene.anAccount(), await scene.anAccount()]
    const [me, them] = [await someone(mine, 'owner'), await someone(theirs, 'owner')]
    const made = await create(me, { name: 'till', scopes: ['read', 'admin'] })
    const keyId = String(made.body['keyId'])
    const rotated = await here.ask('POST', `/keys/${keyId}/rotate`, { as: me, body: {} })
    const headers = { authorization: `Bearer ${String(made.body['key'])}` }
    await here.ask('DELETE', `/keys/${String(rotated.body['keyId'])}`, { headers })
    const body = { email: 'bob@shop.example', role: 'viewer' }
    const invited = await here.ask('POST', '/members', { as: me, body })
    const bob = `/members/${String(invited.body['memberId'])}`
    await here.ask('PATCH', bob, { as: me, body: { role: 'developer' } })
    await here.ask('DELETE', bob, { as: me })

    const answer = await here.ask('GET', '/audit', { as: me })
    const entries = Array.isArray(answer.body['entries']) ? answer.body['entries'] : []
    expect(entries.map((entry) => Reflect.get(entry, 'action'))).toEqual([
      'member.removed',
      'member.role_changed',
      'member.invited',
      'key.deleted',
      'key.rotated',
      'key.created',
      'session.started',
    ])
    expect(entries[3]).toMatchObject({ actor: 'key', actorId: keyId, actorName: 'till' })
    expect(entries[5]).toMatchObject({
      actor: 'member',
      actorName: 'Somebody',
      object: keyId,
      address: '127.0.0.1',
      requestId: made.headers.get('x-request-id'),
      details: { name: 'till', scopes: ['read', 'admin'] },
    })
    for (const secret of [made.body['key'], rotated.body['key'], me.cookie.split('=')[1]]) {
      expect(answer.text).not.toContain(String(secret))
    }
    expect(answer.text).not.toContain(String(invited.body['link']).split('#link=')[1])

    const others = await here.ask('GET', '/audit', { as: them })
    expect(others.body['entries']).toMatchObject([{ action: 'session.started' }])
    const cursor = String(Reflect.get(entries[2], 'auditId'))
    const foreign = await here.ask('GET', `/audit?cursor=${cursor}`, { as: them })
    const madeUp = await here.ask('GET', '/audit?cursor=aud_zz', { as: me })
    for (const { status, body } of [foreign, madeUp]) {
      expect({ status, body }).toMatchObject({
        status: 400,
        body: { error: { details: { cursor: expect.any(String) } } },
      })
    }
    const last = String(entries.at(-1) && Reflect.get(entries.at(-1) ?? {}, 'auditId'))
    const end = await here.ask('GET', `/audit?cursor=${last}`, { as: me })
    expect(end.body).toMatchObject({ entries: [], nextCursor: null })

    const page = await here.ask('GET', '/audit?limit=3', { as: me })
    expect(page.body['entries']).toEqual(entries.slice(0, 3))
    const next = String(page.body['nextCursor'])
    const rest = await here.ask('GET', `/audit?limit=100&cursor=${next}`, { as: me })
    expect(rest.body).toMatchObject({ entries: entries.slice(3), nextCursor: null })
  })

  test('cannot be changed by the service itself, and keeps nothing of what was refused', async () => {
    const accountId = await scene.anAccount()
    const owner = await someone(accountId, 'owner')
    const { store } = scene.database
    for (const sql of [
      `update audit_log set action = 'a.b'`,
      'delete from audit_log',
      'truncate audit_log',
    ]) {
      const work = store.inTransaction('service', (tx) => tx.query(`test_${sql}`, sql))
      await expect(work).rejects.toThrow(/permission denied/)
    }
    expect((await create(owner, { name: ' ', scopes: ['read'] })).status).toBe(400)
    const { body } = await here.ask('GET', '/audit', { as: owner })
    expect(body['entries']).toMatchObject([{ action: 'session.started' }])
  })
})
