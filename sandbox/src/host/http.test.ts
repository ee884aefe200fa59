import { createServer } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { ANY_PORT_MAX, ANY_PORT_MIN } from './any-port.ts'
import { closeServer, listenOn } from './http.ts'

const server = createServer()
const other = createServer()
afterEach(async () => {
  await closeServer(server)
  await closeServer(other)
})

test('any port is one that no outgoing connection takes while the sandbox is down', async () => {
  const port = await listenOn(server, {})
  expect(port).toBeGreaterThanOrEqual(ANY_PORT_MIN)
  expect(port).toBeLessThanOrEqual(ANY_PORT_MAX)
  await closeServer(server)
  expect(await listenOn(server, { remembered: port })).toBe(port)
})

test('a remembered port that is taken gives way to any other, a fixed one to a complaint', async () => {
  const taken = await listenOn(other, {})
  expect(await listenOn(server, { remembered: taken })).not.toBe(taken)
  await closeServer(server)
  await expect(listenOn(server, { fixed: taken })).rejects.toThrow(`port ${taken} is in use`)
})
