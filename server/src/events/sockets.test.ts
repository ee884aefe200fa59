import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { deleteKey } from '../access/delete-key.ts'
import { systemClock } from '../kernel/clock.ts'
import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import { until } from '../kernel/until.ts'
import { makeWallet } from '../payments/test-lane.ts'
import { openTestEvents, openTestSocket } from './test-event-service.ts'
import type { TestEvents, TestInstance, TestKey, TestSocket } from './test-event-service.ts'

const SOON = { seconds: 30 }

let world: TestEvents
let service: TestInstance
beforeAll(async () => {
  world = await openTestEvents()
  service = await world.start()
})
afterAll(() => world.close())

const open = (key?: TestKey) =>
  openTestSocket(service.socketUrl, key === undefined ? {} : { key: key.text })
const subscribed = async (key: TestKey, keys = ['payments'], after?: string) => {
  const socket = await open(key)
  socket.send({ method: 'subscribe', keys, ...(after === undefined ? {} : { after }) })
  await socket.next('subscribed')
  return socket
}
const heard = (socket: TestSocket, names: readonly string[]) =>
  until(
    `${names.join()} were heard`,
    () => JSON.stringify(socket.names()) === JSON.stringify(names),
    SOON,
  )
const fieldOf = (value: unknown, name: string): unknown => Reflect.get(Object(value), name)
const codeOf = (message: Readonly<Record<string, unknown>>) => fieldOf(message['data'], 'code')
const bye = (...sockets: readonly TestSocket[]) => {
  for (const { socket } of sockets) socket.terminate()
}

describe('a socket', () => {
  test('that is taken back stands where it was taken back to, until something is sent again', async () => {
    const key = await world.aKey()
    const socket = await subscribed(key)
    await service.tell(key.accountId, 'a', 'b', 'c')
    await heard(socket, ['a', 'b', 'c'])
    const first = socket.messages.find(({ sequence }) => sequence === 1)?.['id']
    socket.send({ method: 'subscribe', keys: ['payments'], after: first })
    expect(await socket.next('subscribed')).toMatchObject({ cursor: first })
    await heard(socket, ['a', 'b', 'c', 'b', 'c'])
    bye(socket)
  })

  test('is opened by a key in a message, by one at the upgrade, and by a ticket, once', async () => {
    const key = await world.aKey('premium')
    const byMessage = await open()
    byMessage.send({ method: 'authenticate', apiKey: key.text })
    expect(await byMessage.next('authenticated')).toMatchObject({
      userId: key.accountId,
      plan: 'premium',
    })
    const byHeader = await open(key)
    expect(await byHeader.next('authenticated')).toMatchObject({ userId: key.accountId })
    const answer = await fetch(`${service.url}/events/ticket`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.text}` },
    })
    const ticket = fieldOf(await answer.json(), 'ticket')
    const byTicket = await openTestSocket(`${service.socketUrl}?ticket=${String(ticket)}`)
    expect(await byTicket.next('authenticated')).toMatchObject({ userId: key.accountId })
    const again = new WebSocket(`${service.socketUrl}?ticket=${String(ticket)}`)
    const [, refused] = await once(again, 'unexpected-response')
    expect(refused.statusCode).toBe(401)
    bye(byMessage, byHeader, byTicket)
  })

  test('hears what is committed after it has subscribed, as the object that GET /events shows', async () => {
    const key = await world.aKey()
    const socket = await subscribed(key)
    await service.tell(key.accountId, 'a', 'b')
    await heard(socket, ['a', 'b'])
    const page = await fetch(`${service.url}/api/events`, {
      headers: { authorization: `Bearer ${key.text}` },
    })
    const body: unknown = await page.json()
    const told = socket.messages.slice(-2)
    expect(body).toMatchObject({ events: told, hasMore: false, nextAfter: told[1]?.['id'] })
    expect(told[1]).toMatchObject({ sequence: 2, channel: 'payments', type: 'payment' })
    bye(socket)
  })

  test('is given everything after an event that it names, then what comes, each once', async () => {
    const key = await world.aKey()
    const first = await subscribed(key)
    const many = Array.from({ length: 250 }, (_, index) => `e${index}`)
    await service.tell(key.accountId, ...many)
    await heard(first, many)
    const cursor = first.messages.find(({ sequence }) => sequence === 40)
    const late = await subscribed(key, ['payments'], String(cursor?.['id']))
    const more = Array.from({ length: 30 }, (_, index) => `m${index}`)
    for (const name of more) await service.tell(key.accountId, name)
    await heard(late, [...many.slice(40), ...more])
    bye(first, late)
  })

  test('is told when nobody can go on from what it names', async () => {
    const [key, other] = [await world.aKey(), await world.aKey()]
    await service.tell(other.accountId, 'theirs')
    const theirs = await subscribed(other)
    await service.tell(other.accountId, 'x')
    await until('x is heard', () => theirs.names().includes('x'), SOON)
    const socket = await open(key)
    await socket.next('authenticated')
    for (const after of ['evt_1111111111111111111111', String(theirs.messages.at(-1)?.['id'])]) {
      socket.send({ method: 'subscribe', keys: ['payments'], after })
      expect(codeOf(await socket.next('error'))).toBe('INVALID_PARAMETERS')
    }
    bye(theirs, socket)
  })

  test('hears of its own wallet alone when it asks for that, and never of another account', async () => {
    const wallet = await makeWallet(world.database.store)
    const foreign = await makeWallet(world.database.store)
    const key = await world.aKey('standard', wallet.accountId)
    const socket = await subscribed(key, [wallet.address])
    socket.send({ method: 'subscribe', keys: ['payments', foreign.address] })
    expect(codeOf(await socket.next('error'))).toBe('NOT_FOUND')
    await service.tell(wallet.accountId, 'of nobody')
    await service.tell(foreign.accountId, 'of another account')
    await service.tellOf(wallet.accountId, 'mine', { recipient: wallet.address })
    await heard(socket, ['mine'])
    socket.send({ method: 'unsubscribe', keys: [wallet.address] })
    await socket.next('unsubscribed')
    socket.send({ method: 'subscribe', keys: ['trades', 'newTokens'] })
    expect(await socket.next('subscribed')).toMatchObject({ keys: ['trades', 'newTokens'] })
    await service.tellOf(wallet.accountId, 'not wanted', { recipient: wallet.address })
    socket.send({ method: 'ping' })
    await socket.next('pong')
    expect(socket.names()).toEqual(['mine'])
    bye(socket)
  })
})

describe('a stranger', () => {
  test('that subscribes first is told to authenticate, and may still do so', async () => {
    const key = await world.aKey()
    const socket = await open()
    socket.send({ method: 'subscribe', keys: ['payments'] })
    expect(codeOf(await socket.next('error'))).toBe('AUTHENTICATION_REQUIRED')
    socket.send({ method: 'authenticate', apiKey: 'florin_live_nobodys' })
    expect(codeOf(await socket.next('error'))).toBe('UNAUTHORIZED')
    socket.send({ method: 'authenticate', apiKey: key.text })
    await socket.next('authenticated')
    socket.send({ method: 'subscribe', keys: ['payments'] })
    await socket.next('subscribed')
    bye(socket)
  })

  test('that does not authenticate in 10 seconds is closed with 4401', async () => {
    let passed = 0
    const clock = { ...systemClock, nowMilliseconds: () => Date.now() + passed }
    const quick = await world.start({ clock })
    const key = await world.aKey()
    const socket = await openTestSocket(quick.socketUrl)
    const known = await openTestSocket(quick.socketUrl, { key: key.text })
    await known.next('authenticated')
    passed = 10_001
    expect(await socket.closed()).toMatchObject({ code: 4401 })
    expect(known.socket.readyState).toBe(WebSocket.OPEN)
    bye(known)
    await quick.stop()
  })
})

describe('a hostile client', () => {
  const closedAfter = async (act: (socket: TestSocket) => void) => {
    const socket = await open(await world.aKey())
    await socket.next('authenticated')
    act(socket)
    return (await socket.closed()).code
  }

  test('is closed for a message that is too long, not text, or not UTF-8', async () => {
    expect(await closedAfter(({ socket }) => socket.send('x'.repeat(64 * 1024 + 1)))).toBe(1009)
    expect(await closedAfter(({ socket }) => socket.send(Buffer.from([1, 2, 3])))).toBe(1003)
    expect(
      await closedAfter(({ socket }) => socket.send(Buffer.from([0xff, 0xfe]), { binary: false })),
    ).toBe(1007)
  })

  test('is closed for frames that are not masked', async () => {
    const port = Number(new URL(service.url).port)
    const socket = connect(port, '127.0.0.1')
    const bytes: Buffer[] = []
    socket.on('data', (data) => void bytes.push(Buffer.from(data)))
    socket.write(
      'GET /data HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n' +
        'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    )
    await until('it is open', () => Buffer.concat(bytes).includes('101 Switching'), SOON)
    socket.write(Buffer.from([0x81, 0x02, 0x7b, 0x7d]))
    await once(socket, 'close')
    expect(Buffer.concat(bytes).includes(Buffer.from([0x03, 0xea]))).toBe(true)
  })

  test('is told what is wrong with a message, and stays', async () => {
    const socket = await open(await world.aKey())
    await socket.next('authenticated')
    for (const text of [
      '{',
      'null',
      '[]',
      '{"method":"fly"}',
      '{"method":"subscribe"}',
      '{"method":"subscribe","keys":[]}',
      '{"method":"subscribe","keys":["payments"],"keys":["payments"]}',
      '{"method":"ping","more":1}',
      '{"method":"authenticate"}',
    ]) {
      socket.socket.send(text)
      expect(codeOf(await socket.next('error'))).toBe('INVALID_PARAMETERS')
    }
    for (const text of ['{', 'null']) {
      socket.socket.send(text)
      const { data } = await socket.next('error')
      expect(Object.keys(Object(Object(data)['details']))).toEqual(['message'])
    }
    // In pieces is no offence.
    socket.socket.send('{"method":', { fin: false })
    socket.socket.send('"ping"}', { fin: true })
    await socket.next('pong')
    bye(socket)
  })

  test('that sends more than its plan allows is told so and closed with 4429', async () => {
    const socket = await open(await world.aKey())
    await socket.next('authenticated')
    for (let count = 0; count < 200; count += 1) socket.send({ method: 'ping' })
    expect(await socket.closed()).toEqual({ code: 4429, reason: 'RATE_LIMIT' })
    expect(socket.messages.filter(({ type }) => type === 'pong').length).toBeLessThanOrEqual(100)
    expect(codeOf(await socket.next('error'))).toBe('RATE_LIMIT')
  })

  test('opens as many sockets as its plan allows, over all keys of the account', async () => {
    const one = await world.aKey()
    const other = await world.aKey('standard', one.accountId)
    const sockets = await Promise.all([one, other, one, other, one].map((key) => open(key)))
    for (const socket of sockets) await socket.next('authenticated')
    const sixth = await open(other)
    expect(codeOf(await sixth.next('error'))).toBe('CONNECTION_LIMIT')
    expect(await sixth.closed()).toEqual({ code: 4429, reason: 'CONNECTION_LIMIT' })
    bye(...sockets.slice(0, 1))
    await until(
      'there is room again',
      async () => {
        const next = await open(other)
        const first = await until('an answer', () => next.messages[0], SOON)
        bye(next)
        return first['type'] === 'authenticated'
      },
      SOON,
    )
    bye(...sockets)
  })
})

describe('the service', () => {
  test('closes the sockets and streams of a key that was deleted, and no others', async () => {
    const key = await world.aKey()
    const other = await world.aKey('standard', key.accountId)
    const [gone, stays] = [await subscribed(key), await subscribed(other)]
    const stream = await fetch(`${service.url}/events/stream`, {
      headers: { authorization: `Bearer ${key.text}` },
    })
    await deleteKey({ store: world.database.store, clock: systemClock }, key)
    expect(await gone.closed()).toMatchObject({ code: 4401 })
    expect(await stream.text()).toContain('retry:')
    expect(stays.socket.readyState).toBe(WebSocket.OPEN)
    bye(stays)
  })

  test('closes a reader that takes nothing with 4408 and where to go on, and others hear everything', async () => {
    let passed = 0
    let looks = 0
    const clock: Clock = {
      nowMilliseconds: () => Date.now() + passed,
      sleep: (milliseconds, signal) => {
        if (milliseconds === limits.socketLookMilliseconds) looks += 1
        return systemClock.sleep(milliseconds, signal)
      },
    }
    const instance = await world.start({ clock })
    const key = await world.aKey('premium')
    const join = async () => {
      const socket = await openTestSocket(instance.socketUrl, { key: key.text })
      socket.send({ method: 'subscribe', keys: ['payments'] })
      await socket.next('subscribed')
      return socket
    }
    const [slow, quick] = [await join(), await join()]
    slow.socket.pause()
    const filler = 'x'.repeat(60_000)
    let told = 0
    await until(
      'the slow one is behind',
      async () => {
        await instance.tellOf(key.accountId, `big${told}`, { filler })
        told += 1
        return told >= 120
      },
      { seconds: 30 },
    )
    passed = 11_000
    const before = looks
    await until('the sockets were looked over', () => looks >= before + 2, { seconds: 60 })
    await until('the quick one has everything', () => quick.names().length === told, {
      seconds: 60,
    })
    slow.socket.resume()
    const { code, reason } = await slow.closed()
    expect(code).toBe(4408)
    const last = slow.messages.findLast(({ sequence }) => sequence !== undefined)
    expect(reason).toBe(`cursor=${String(last?.['id'])}`)
    expect(slow.names().length).toBeLessThan(told)
    const rest = await openTestSocket(instance.socketUrl, { key: key.text })
    rest.send({ method: 'subscribe', keys: ['payments'], after: reason.slice('cursor='.length) })
    await until('nothing is missing', () => slow.names().length + rest.names().length === told, {
      seconds: 60,
    })
    bye(quick, rest)
    await instance.stop()
  })

  test('says 1012 to every socket when it stops', async () => {
    const instance = await world.start()
    const key = await world.aKey()
    const known = await openTestSocket(instance.socketUrl, { key: key.text })
    const unknown = await openTestSocket(instance.socketUrl)
    await known.next('authenticated')
    await instance.stop()
    expect(await known.closed()).toMatchObject({ code: 1012 })
    expect(await unknown.closed()).toMatchObject({ code: 1012 })
  })

  test('tells sockets of one instance what another has committed', async () => {
    const other = await world.start()
    const key = await world.aKey()
    const [here, there] = [
      await subscribed(key),
      await openTestSocket(other.socketUrl, { key: key.text }),
    ]
    there.send({ method: 'subscribe', keys: ['payments'] })
    await there.next('subscribed')
    await service.tell(key.accountId, 'a')
    await other.tell(key.accountId, 'b')
    await heard(here, ['a', 'b'])
    await heard(there, ['a', 'b'])
    bye(here, there)
    await other.stop()
  })
})
