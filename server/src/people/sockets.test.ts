import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { changeAccount } from '../access/operator-store.ts'
import type { Plan } from '../kernel/caller.ts'
import { systemClock } from '../kernel/clock.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { openFeed } from '../events/feed.ts'
import { openTestSocket } from '../events/test-event-service.ts'
import { openTestServer } from '../http/test-server.ts'
import { openEvents } from '../open-events.ts'
import { openListener } from '../store/listen.ts'
import { openTestPeople } from './test-people.ts'
import type { TestBrowser, TestPeople, TestPeopleInstance } from './test-people.ts'

const log = openLog('silent')
const clock = systemClock

/** An instance whose edge also has the doors of events. */
async function openDoors(scene: TestPeople, { people }: TestPeopleInstance) {
  const { store, url } = scene.database
  const listener = openListener({ url, clock, log })
  const feed = openFeed({ store, listener, clock, log })
  const events = openEvents({
    ...{ store, feed, clock, log, chains: [], random: systemRandom },
    gate: people.gate,
    addresses: people.addresses,
    sessions: people.holders,
    allowedOrigins: ['https://shop.example'],
    baseUrl: () => 'http://here.example',
  })
  const { routes, sockets, streams } = events
  const server = await openTestServer({ routes, sockets, streams, gate: people.gate })
  return {
    url: server.url,
    socketUrl: `${server.url.replace('http', 'ws')}/api/data`,
    close: async () => {
      await server.close()
      await events.stop()
      await feed.stop()
      await listener.stop()
    },
  }
}

let scene: TestPeople
let here: TestPeopleInstance
let doors: Awaited<ReturnType<typeof openDoors>>
let accountId: AccountId
beforeAll(async () => {
  scene = await openTestPeople()
  here = await scene.start()
  // The sockets are another instance's than the one that ends their sessions.
  doors = await openDoors(scene, await scene.start())
  accountId = await scene.anAccount()
})
afterAll(async () => {
  await doors.close()
  await scene.close()
})

async function someone(role: 'owner' | 'viewer' = 'viewer') {
  const memberId = await scene.aMember({}, [{ accountId, role }])
  return {
    memberId,
    browser: await here.signIn(await scene.aLink({ kind: 'operator', memberId })),
  }
}
const socketOf = ({ cookie }: TestBrowser, origin = doors.url) =>
  openTestSocket(doors.socketUrl, { headers: { cookie, origin } })

describe('a socket of a page', () => {
  test('is opened by the cookie of the session, and closed by its end on another instance', async () => {
    const { browser } = await someone()
    const socket = await socketOf(browser)
    expect(await socket.next('authenticated')).toMatchObject({ userId: accountId })
    expect((await here.ask('DELETE', '/session', { as: { ...browser } })).status).toBe(200)
    expect((await socket.closed()).code).toBe(4401)
  })

  test('comes back under the new plan when that of its account is changed', async () => {
    const { browser } = await someone()
    const { store } = scene.database
    const setPlan = (plan: Plan) =>
      store.inTransaction('service', (tx) => changeAccount(tx, accountId, { plan }, Date.now()))
    await setPlan('enterprise')
    scene.time.ahead += limits.keyCacheMilliseconds
    const socket = await socketOf(browser)
    expect(await socket.next('authenticated')).toMatchObject({ plan: 'enterprise' })
    await setPlan('standard')
    expect((await socket.closed()).code).toBe(1012)
    scene.time.ahead += limits.keyCacheMilliseconds
    const again = await socketOf(browser)
    expect(await again.next('authenticated')).toMatchObject({ plan: 'standard' })
  })

  test('is closed when its person is removed from the account', async () => {
    const { browser, memberId } = await someone()
    const owner = await someone('owner')
    const socket = await socketOf(browser)
    await socket.next('authenticated')
    const gone = await here.ask('DELETE', `/members/${memberId}`, { as: owner.browser })
    expect(gone.status).toBe(200)
    expect((await socket.closed()).code).toBe(4401)
  })

  test('is opened by a ticket of the session, once, and closed with it, too', async () => {
    const { browser } = await someone()
    const answer = await fetch(`${doors.url}/events/ticket`, {
      method: 'POST',
      headers: {
        cookie: browser.cookie,
        'x-csrf-token': browser.csrfToken,
        'sec-fetch-site': 'same-origin',
      },
    })
    const body: unknown = await answer.json()
    const ticket = String(Reflect.get(Object(body), 'ticket'))
    const url = `${doors.socketUrl}?ticket=${ticket}`
    const socket = await openTestSocket(url, { headers: { origin: 'https://shop.example' } })
    await socket.next('authenticated')
    await expect(openTestSocket(url)).rejects.toThrow(/401/)
    await here.ask('DELETE', '/session', { as: { ...browser } })
    expect((await socket.closed()).code).toBe(4401)
  })

  test('is not opened by the cookie for a page of another address, even one that may have sockets', async () => {
    const { browser } = await someone()
    await expect(socketOf(browser, 'https://evil.example')).rejects.toThrow(/403/)
    const stranger = await socketOf(browser, 'https://shop.example')
    stranger.send({ method: 'subscribe', keys: ['payments'] })
    expect(await stranger.next('error')).toMatchObject({
      data: { code: 'AUTHENTICATION_REQUIRED' },
    })
    stranger.socket.terminate()
  })

  test('of a session that is over is refused', async () => {
    const { browser } = await someone()
    const before = { ...browser }
    await here.ask('DELETE', '/session', { as: browser })
    await expect(socketOf(before)).rejects.toThrow(/401/)
  })

  test('as a stream of server-sent events ends with the session, too', async () => {
    const { browser } = await someone()
    const answer = await fetch(`${doors.url}/events/stream`, {
      headers: { cookie: browser.cookie },
    })
    expect(answer.status).toBe(200)
    await here.ask('DELETE', '/session', { as: { ...browser } })
    const reader = answer.body?.getReader()
    for (;;) {
      const { done } = (await reader?.read()) ?? { done: true }
      if (done) break
    }
  })
})
