import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestPeople } from './test-people.ts'
import type { TestBrowser, TestPeople, TestPeopleInstance } from './test-people.ts'

let scene: TestPeople
let here: TestPeopleInstance
beforeAll(async () => {
  scene = await openTestPeople()
  here = await scene.start()
})
afterAll(() => scene.close())

/** Somebody with an account of their own, signed in. */
async function someone(parts: { readonly name: string; readonly email?: string }) {
  const accountId = await scene.anAccount(parts.name)
  const memberId = await scene.aMember(parts, [{ accountId, role: 'owner' }])
  return {
    memberId,
    browser: await here.signIn(await scene.aLink({ kind: 'operator', memberId })),
  }
}
const invite = async (as: TestBrowser, body: object) => {
  const answer = await here.ask('POST', '/members', { as, body: { role: 'viewer', ...body } })
  expect(answer.status, answer.text).toBe(200)
  return answer
}
const listed = async (as: TestBrowser) => (await here.ask('GET', '/members', { as })).text
const rename = async (as: TestBrowser, body: object) =>
  expect((await here.ask('PATCH', '/me', { as, body })).status).toBe(200)

test('whoever invites an address learns nothing of the person behind it before they come', async () => {
  const { memberId, browser } = await someone({ name: 'Real Name', email: 'one@people.example' })
  const me = await someone({ name: 'me' })
  const typed = { name: 'guess', email: 'one@people.example' }
  const invited = await invite(me.browser, typed)
  expect(invited.body).toMatchObject({ ...typed, memberId })
  await rename(browser, { name: 'New Name', email: 'private@people.example' })
  const path = `/members/${memberId}`
  const changed = await here.ask('PATCH', path, { as: me.browser, body: { role: 'developer' } })
  for (const text of [invited.text, await listed(me.browser), changed.text]) {
    expect(text).toContain('guess')
    expect(text).not.toMatch(/Real Name|New Name|private/)
  }

  const link = await invite(me.browser, { name: 'guess', email: 'private@people.example' })
  const joining = { as: browser, body: { link: String(link.body['link']).split('#link=')[1] } }
  expect((await here.ask('POST', '/session', joining)).status).toBe(200)
  const text = await listed(me.browser)
  expect(text).toContain('New Name')
  expect(text).toContain('private@people.example')
  expect(text).not.toContain('guess')
})

test('who was invited without a name is called after the address, and as before when invited again', async () => {
  await someone({ name: 'Real Name', email: 'two@people.example' })
  const me = await someone({ name: 'me too' })
  const bare = { email: 'two@people.example' }
  expect((await invite(me.browser, bare)).body).toMatchObject({ name: 'two', ...bare })
  await invite(me.browser, { name: 'Ada', ...bare })
  expect((await invite(me.browser, bare)).body).toMatchObject({ name: 'Ada', ...bare })
  expect(await listed(me.browser)).not.toContain('Real Name')
})
