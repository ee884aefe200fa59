import { getEventListeners, once } from 'node:events'
import { createServer } from 'node:http'
import { connect, createServer as createTcpServer } from 'node:net'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { deleteKey } from '@florin/server/access/delete-key.ts'
import { openTestEvents } from '@florin/server/events/test-event-service.ts'
import type { TestEvents, TestInstance } from '@florin/server/events/test-event-service.ts'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { until } from '@florin/server/kernel/until.ts'
import { Florin } from './florin.ts'
import type { ListenOptions } from './listen.ts'

const SOON = { seconds: 30 }

let world: TestEvents
let service: TestInstance
beforeAll(async () => {
  world = await openTestEvents()
  service = await world.start()
})
afterAll(() => world.close())

/** Listens until it is told to stop, and keeps what it heard. */
function listening(florin: Florin, options: ListenOptions = {}) {
  const stop = new AbortController()
  const heard: { id: string; sequence: number; name: unknown }[] = []
  let listens = 0
  const run = async () => {
    for await (const { id, sequence, data } of florin.events.listen({
      signal: stop.signal,
      onListening: () => void (listens += 1),
      ...options,
    })) {
      heard.push({ id, sequence, name: data['name'] })
    }
  }
  const running = run()
  running.catch(() => undefined)
  return {
    heard,
    running,
    listens: () => until('it listens', () => listens > 0, SOON),
    hears: (names: readonly string[]) =>
      until(
        `it has heard ${names.join()}`,
        () => heard.map(({ name }) => name).join() === names.join(),
        SOON,
      ),
    stop: async () => {
      stop.abort()
      await running
    },
  }
}

/** Between client and service: a place where connections can be cut. */
async function openProxy(target: string) {
  const { port, hostname } = new URL(target)
  const open = new Set<Socket>()
  let isDown = false
  const server = createTcpServer((socket) => {
    if (isDown) {
      socket.destroy()
      return
    }
    const other = connect(Number(port), hostname)
    for (const each of [socket, other]) {
      open.add(each)
      each.on('error', () => undefined)
      each.on('close', () => {
        open.delete(each)
        socket.destroy()
        other.destroy()
      })
    }
    socket.pipe(other).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    cut: (down = false) => {
      isDown = down
      for (const socket of open) socket.destroy()
    },
    close: async () => {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

test('what happens while the connection is lost is heard when it is back, each event once', async () => {
  const key = await world.aKey('premium')
  const proxy = await openProxy(service.url)
  const interruptions: string[] = []
  const listener = listening(new Florin({ baseUrl: proxy.url, apiKey: key.text }), {
    onInterrupted: (reason) => void interruptions.push(reason),
  })
  try {
    await listener.listens()
    // Nothing had ever happened, so it has no event to come back with.
    proxy.cut(true)
    await until('it is interrupted', () => interruptions.length > 0, SOON)
    await service.tell(key.accountId, 'a', 'b')
    proxy.cut()
    await listener.hears(['a', 'b'])
    await service.tell(key.accountId, 'c')
    await listener.hears(['a', 'b', 'c'])
    proxy.cut(true)
    await service.tell(key.accountId, 'd', 'e')
    proxy.cut()
    await service.tell(key.accountId, 'f')
    await listener.hears(['a', 'b', 'c', 'd', 'e', 'f'])
    expect(listener.heard.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6])
  } finally {
    await listener.stop()
    await proxy.close()
  }
})

test('a program that comes back goes on after the event that it kept', async () => {
  const key = await world.aKey()
  const florin = new Florin({ baseUrl: service.url, apiKey: key.text })
  await service.tell(key.accountId, 'a', 'b', 'c')
  const { events } = await until(
    'they are there',
    async () => {
      const page = await florin.events.page()
      return page.events.length === 3 && page
    },
    SOON,
  )
  const listener = listening(florin, { after: events[0]?.id })
  await listener.hears(['b', 'c'])
  await listener.stop()
})

test('a key that was deleted ends it with UNAUTHORIZED, and an unknown cursor with INVALID_PARAMETERS', async () => {
  const key = await world.aKey()
  const florin = new Florin({ baseUrl: service.url, apiKey: key.text })
  const lost = listening(florin, { after: 'evt_1111111111111111111111' })
  await expect(lost.running).rejects.toMatchObject({ code: 'INVALID_PARAMETERS' })
  const listener = listening(florin)
  await listener.listens()
  await service.tell(key.accountId, 'a')
  await listener.hears(['a'])
  await deleteKey({ store: world.database.store, clock: systemClock }, key)
  await expect(listener.running).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
})

test('a missing number is noticed and what is missing is asked for', async () => {
  const asked: unknown[] = []
  const event = (sequence: number) => ({
    ...{ id: `evt_${sequence}`, type: 'payment', channel: 'payments', sequence },
    ...{ data: { name: `n${sequence}` }, timestamp: 1 },
  })
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end('{"success":true,"ticket":"t","expiresAt":1,"timestamp":1}')
  })
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket) => {
    socket.on('message', (data) => {
      const message: unknown = JSON.parse(Buffer.isBuffer(data) ? data.toString() : '')
      const after: unknown = Reflect.get(Object(message), 'after')
      asked.push(after)
      const say = (what: object) => socket.send(JSON.stringify(what))
      say({ type: 'subscribed', keys: [], cursor: 'evt_0' })
      // The second is lost on the way; then what comes twice.
      for (const sequence of asked.length === 1 ? [1, 3] : [1, 2, 3]) say(event(sequence))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const baseUrl = `http://127.0.0.1:${address.port}`
  const listener = listening(new Florin({ baseUrl, apiKey: 'florin_test_x' }))
  try {
    await listener.hears(['n1', 'n2', 'n3'])
    expect(asked).toEqual([undefined, 'evt_1'])
  } finally {
    await listener.stop()
    sockets.close()
    for (const client of sockets.clients) client.terminate()
    server.close()
    await once(server, 'close')
  }
})

test('the very first event is heard, also when it happens between asking for events and listening', async () => {
  const event = (sequence: number) => ({
    ...{ id: `evt_${sequence}`, type: 'payment', channel: 'payments', sequence },
    ...{ data: { name: `n${sequence}` }, timestamp: 1 },
  })
  let lists = 0
  const server = createServer((request, response) => {
    const isList = request.url?.startsWith('/events?') === true
    if (isList) lists += 1
    const events = isList && lists > 1 ? [event(1)] : []
    const page = { events, hasMore: false, nextAfter: events.at(-1)?.id ?? null }
    const ticket = { ticket: 't', expiresAt: 1 }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ success: true, timestamp: 1, ...(isList ? page : ticket) }))
  })
  const sockets = new WebSocketServer({ server })
  const asked: unknown[] = []
  sockets.on('connection', (socket) => {
    socket.on('message', (data) => {
      const message: unknown = JSON.parse(Buffer.isBuffer(data) ? data.toString() : '')
      asked.push(Reflect.get(Object(message), 'after'))
      // Nothing had happened at first; the first event happens after the page was read.
      const cursor = asked.length === 1 ? null : 'evt_1'
      socket.send(JSON.stringify({ type: 'subscribed', keys: [], cursor }))
      if (asked.length === 1) socket.close()
      else socket.send(JSON.stringify(event(2)))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const baseUrl = `http://127.0.0.1:${address.port}`
  const listener = listening(new Florin({ baseUrl, apiKey: 'florin_test_x' }))
  try {
    await listener.hears(['n1', 'n2'])
    expect(asked).toEqual([undefined, undefined, 'evt_1'])
  } finally {
    await listener.stop()
    sockets.close()
    for (const client of sockets.clients) client.terminate()
    server.close()
    await once(server, 'close')
  }
})

test('whoever listens where no socket gets through keeps nothing of the tries that failed', async () => {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ success: true, timestamp: 1, ticket: 't', expiresAt: 1 }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const stop = new AbortController()
  const kept: number[] = []
  const listener = listening(
    new Florin({
      baseUrl: `http://127.0.0.1:${address.port}`,
      apiKey: 'florin_test_x',
      random: () => 0,
    }),
    {
      signal: stop.signal,
      onInterrupted: () => void kept.push(getEventListeners(stop.signal, 'abort').length),
    },
  )
  try {
    await until('it has tried three times', () => kept.length === 3, SOON)
    expect(kept).toEqual([0, 0, 0])
  } finally {
    stop.abort()
    await listener.running
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
})
