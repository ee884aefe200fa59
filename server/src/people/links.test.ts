import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { systemClock } from '../kernel/clock.ts'
import { systemRandom } from '../kernel/random.ts'
import { giveFirstLink, giveOperatorLink, giveSandboxLink } from './give-link.ts'
import { openTestPeople } from './test-people.ts'
import type { TestPeople, TestPeopleInstance } from './test-people.ts'

const AT_ONCE = 20
const BASE = 'http://localhost:4021'

let scene: TestPeople
let here: TestPeopleInstance
let there: TestPeopleInstance
let accountId: AccountId
const deps = () => ({ store: scene.database.store, clock: systemClock, random: systemRandom })
beforeAll(async () => {
  scene = await openTestPeople()
  here = await scene.start()
  there = await scene.start()
  accountId = await scene.anAccount()
})
afterAll(() => scene.close())

/** Attempts are counted by address; each test comes from another one. */
const from = (last: number) => `203.0.${last}.1`
const use = (link: string, address: string, at = here) =>
  at.ask('POST', '/session', { body: { link }, from: address })

describe('a link', () => {
  test('of two that nobody used makes one operator, who owns the first account, and no other', async () => {
    const links = [await giveFirstLink(deps(), BASE), await giveFirstLink(deps(), BASE)]
    const tokens = links.map((link) => link?.reveal().split('#link=')[1] ?? '')
    expect(links[0]?.reveal()).toMatch(/^http:\/\/localhost:4021\/signin#link=[A-Za-z0-9_-]{43}$/)
    const answers = await Promise.all(
      tokens.map((token, index) => use(token, from(1), index === 0 ? here : there)),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401])
    const winner = answers.find(({ status }) => status === 200)
    expect(winner?.body).toMatchObject({
      operator: true,
      selected: { accountId, role: 'owner' },
    })
    expect(await giveFirstLink(deps(), BASE)).toBeUndefined()
    const again = await giveOperatorLink(deps(), BASE)
    expect((await use(again?.reveal().split('#link=')[1] ?? '', from(1))).body).toMatchObject({
      operator: true,
    })
    expect(await giveOperatorLink(deps(), BASE, 'nobody@shop.example')).toBeUndefined()
  })

  test('signs in one of twenty who use it at once on two instances', async () => {
    const memberId = await scene.aMember()
    const link = await scene.aLink({ kind: 'operator', memberId })
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) =>
        use(link, from(2), index % 2 === 0 ? here : there),
      ),
    )
    const ins = answers.filter(({ status }) => status === 200)
    expect(ins).toHaveLength(1)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 401]))
  })

  test('that lapsed, was made up or is of another form signs nobody in', async () => {
    const memberId = await scene.aMember()
    const link = await scene.aLink({ kind: 'operator', memberId })
    scene.time.ahead += 60_000
    const made = Buffer.alloc(32, 1).toString('base64url')
    const texts = [link, made, 'x', `${made}=`, made.slice(1)]
    const answers = await Promise.all(texts.map((text) => use(text, from(3))))
    expect(answers.map(({ status }) => status)).toEqual(texts.map(() => 401))
    const words = answers.map(({ body }) => Reflect.get(Object(body['error']), 'message'))
    expect(new Set(words).size).toBe(1)
  })

  test('of a sandbox is good as often as one likes, on this machine alone, until the sandbox starts anew', async () => {
    const first = await giveSandboxLink(deps(), { accountId, baseUrl: BASE })
    const token = first.reveal().split('#link=')[1] ?? ''
    for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) {
      expect((await use(token, address)).status, address).toBe(200)
    }
    for (const address of ['10.0.0.1', '203.0.113.1', '2001:db8::1', '::ffff:10.0.0.1']) {
      expect((await use(token, address)).status, address).toBe(401)
    }
    const second = await giveSandboxLink(deps(), { accountId, baseUrl: BASE })
    expect((await use(token, '127.0.0.1')).status).toBe(401)
    const { body } = await use(second.reveal().split('#link=')[1] ?? '', '127.0.0.1')
    expect(body).toMatchObject({ operator: true })
  })

  test('is stored as its digest alone, and stands in no log and no audit', async () => {
    const memberId = await scene.aMember({}, [{ accountId, role: 'owner' }])
    const link = await scene.aLink({ kind: 'operator', memberId })
    expect((await use(link, from(4))).status).toBe(200)
    expect((await use(link, from(4))).status).toBe(401)
    expect(scene.logged.length).toBeGreaterThan(0)
    expect(scene.logged.join('')).not.toContain(link)
    for (const table of ['sign_in_links', 'sessions', 'audit_log', 'members']) {
      const rows = await scene.database.store.query<{ row: string }>(
        `test_${table}`,
        `select to_jsonb(t)::text as row from ${table} t`,
      )
      const all = rows.map(({ row }) => row).join('\n')
      expect(all).not.toContain(link)
      expect(all).not.toContain(Buffer.from(link).toString('hex'))
      expect(all).not.toContain(Buffer.from(link, 'base64url').toString('hex'))
    }
  })
})

describe('an invitation', () => {
  async function inviter(name: string) {
    const account = await scene.anAccount(name)
    const owner = await scene.aMember({}, [{ accountId: account, role: 'owner' }])
    const browser = await here.signIn(await scene.aLink({ kind: 'operator', memberId: owner }))
    const invite = async (email: string) => {
      const body = { email, role: 'developer' }
      const answer = await here.ask('POST', '/members', { as: browser, body })
      expect(answer.status).toBe(200)
      return String(answer.body['link']).split('#link=')[1] ?? ''
    }
    const removeAll = async () => {
      const { body } = await here.ask('GET', '/members', { as: browser })
      const members = body['members'] as readonly { memberId: string; role: string }[]
      for (const { memberId, role } of members) {
        if (role === 'owner') continue
        const answer = await here.ask('DELETE', `/members/${memberId}`, { as: browser })
        expect(answer.status).toBe(200)
      }
    }
    return { account, invite, removeAll }
  }

  test('signs in whoever has no other way, once, within its days, into that account', async () => {
    const { account, invite } = await inviter('Inviting')
    const link = await invite('Bob@Shop.example')
    const { body } = await use(link, from(5))
    expect(body).toMatchObject({
      member: { email: 'bob@shop.example', name: 'bob' },
      selected: { accountId: account, role: 'developer' },
      operator: false,
    })
    expect((await use(link, from(5))).status).toBe(401)

    const late = await invite('carol@shop.example')
    scene.time.ahead += limits.invitationDays * 86_400_000
    expect((await use(late, from(5))).status).toBe(401)
  })

  test('made anew is worth more than the one before', async () => {
    const { invite } = await inviter('Twice')
    const first = await invite('dora@shop.example')
    const second = await invite('dora@shop.example')
    expect((await use(first, from(6))).status).toBe(401)
    expect((await use(second, from(6))).status).toBe(200)
  })

  test('of one account never opens another, whoever holds the link', async () => {
    const [first, second] = [await inviter('One'), await inviter('Two')]
    const linkOfFirst = await first.invite('vic@shop.example')
    const linkOfSecond = await second.invite('vic@shop.example')
    // The person comes by the second. Whoever kept the first link must not become them.
    const victim = { cookie: '', csrfToken: '' }
    const order = { as: victim, body: { link: linkOfSecond }, from: from(7) }
    expect((await here.ask('POST', '/session', order)).status).toBe(200)
    expect((await use(linkOfFirst, from(7))).status).toBe(401)
    // The person, signed in, takes the first up, too: it was not used up by who tried.
    const joined = await here.ask('POST', '/session', {
      as: victim,
      body: { link: linkOfFirst },
      from: from(7),
    })
    // Where they were: a link alone moves nobody's work into another account.
    expect(joined.body).toMatchObject({ selected: { accountId: second.account } })
    expect(joined.body['accounts']).toHaveLength(2)
  })

  test('of somebody else is not taken up by whoever is signed in', async () => {
    const [one, other] = [await inviter('Mine'), await inviter('Theirs')]
    const own = { cookie: '', csrfToken: '' }
    const mine = await one.invite('own@shop.example')
    const order = { as: own, body: { link: mine }, from: from(8) }
    expect((await here.ask('POST', '/session', order)).status).toBe(200)
    const theirs = await other.invite('strange@shop.example')
    const lured = { as: own, body: { link: theirs }, from: from(8) }
    expect((await here.ask('POST', '/session', lured)).status).toBe(403)
    expect((await use(theirs, from(8))).status).toBe(200)
  })

  test('puts out whoever came in as that person by an earlier one', async () => {
    const { invite, removeAll } = await inviter('Handed')
    const early = { cookie: '', csrfToken: '' }
    const order = { as: early, body: { link: await invite('vera@shop.example') }, from: from(9) }
    expect((await here.ask('POST', '/session', order)).status).toBe(200)
    await removeAll()
    expect((await here.ask('GET', '/session', { as: early })).status).toBe(200)
    const again = await invite('vera@shop.example')
    expect((await use(again, from(9))).status).toBe(200)
    expect((await here.ask('GET', '/session', { as: early })).status).toBe(401)
  })

  test('is not believed to be for the holder of a session that is over', async () => {
    const first = await inviter('Before')
    const second = await inviter('After')
    const person = { cookie: '', csrfToken: '' }
    const order = {
      as: person,
      body: { link: await first.invite('ida@shop.example') },
      from: from(10),
    }
    expect((await here.ask('POST', '/session', order)).status).toBe(200)
    const link = await second.invite('ida@shop.example')
    scene.time.ahead += 13 * 3_600_000
    const stale = { as: person, body: { link }, from: from(10) }
    expect((await here.ask('POST', '/session', stale)).status).toBe(401)
  })

  test('of somebody who never came gives nothing meanwhile', async () => {
    const { account, invite } = await inviter('Waiting')
    const memberId = await scene.aMember({ email: 'eve@shop.example' }, [
      { accountId, role: 'viewer' },
    ])
    await invite('eve@shop.example')
    const eve = await here.signIn(await scene.aLink({ kind: 'operator', memberId }))
    const { body } = await here.ask('GET', '/session', { as: eve })
    expect(body['accounts']).toMatchObject([{ accountId }])
    const choice = { as: eve, body: { accountId: account } }
    expect((await here.ask('PUT', '/session/account', choice)).status).toBe(404)
  })
})
