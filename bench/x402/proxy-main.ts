import { Agent, createServer, request as ask } from 'node:http'
import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Counts } from './proxy.ts'

// Between a facilitator and its node, as a process of its own: passes everything on and counts it. Ends with its parent.
process.on('disconnect', () => process.exit(1))
const target = new URL(process.argv[2] ?? '')
const agent = new Agent({ keepAlive: true })
/** How the body of a batch begins. */
const BATCH = 0x5b
const counts: { -readonly [Name in keyof Counts]: Counts[Name] } = { requests: 0, calls: 0 }

function pass(body: Buffer, response: ServerResponse): void {
  const headers = { 'content-type': 'application/json', 'content-length': body.length }
  const passed = ask(target, { agent, method: 'POST', headers }, (answer) => {
    const length = answer.headers['content-length']
    response.writeHead(answer.statusCode ?? 502, {
      'content-type': 'application/json',
      ...(length === undefined ? {} : { 'content-length': length }),
    })
    // Where one of them breaks off, so does the other.
    pipeline(answer, response, () => undefined)
  })
  passed.on('error', () => response.destroy())
  passed.end(body)
}

/** Only a batch is read: a call of 60 KB is not to wait for its counting. */
function callsIn(body: Buffer): number {
  if (body[0] !== BATCH) return 1
  const asked: unknown = JSON.parse(body.toString())
  return Array.isArray(asked) ? asked.length : 1
}

const server = createServer((request, response) => {
  buffer(request).then(
    (body) => {
      counts.requests += 1
      counts.calls += callsIn(body)
      pass(body, response)
    },
    () => response.destroy(),
  )
})
server.keepAliveTimeout = 65_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  process.send?.({ url: `http://127.0.0.1:${port}` })
})
process.on('message', () => process.send?.(counts))
