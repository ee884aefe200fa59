import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AccountId } from '../kernel/id.ts'
import { openTestPeople } from './test-people.ts'
import type { TestPeople, TestPeopleInstance } from './test-people.ts'

let scene: TestPeople
let here: TestPeopleInstance
let accountId: AccountId
beforeAll(async () => {
  scene = await openTestPeople()
  here = await scene.start()
  accountId = await scene.anAccount('Shop', 'premium')
})
afterAll(() => scene.close())

describe('a session', () => {
  test('says who is signed in, where they are a member, and what the page must send back', async () => {
    const memberId = await scene.aMember({ email: 'ada@shop.example', name: 'Ada' }, [
      { accountId, role: 'owner' },
    ])
    const ada = await here.signIn(await scene.aLink({ kind: 'operator', memberId }))
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
  })
})
