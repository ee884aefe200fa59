import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text as readAll } from 'node:stream/consumers'

/** What stands between a client and a node, and how it behaves now. */
export interface TestProxy {
  readonly url: string
  /** The methods of each request that came, newest last. */
  readonly requests: readonly (readonly string[])[]
  set(mode: ProxyMode): void
  stop(): Promise<void>
}

/** `hangs`: takes requests and never answers. A height: answers as if its chain ended there. */
export type ProxyMode = 'passes' | 'hangs' | 'refuses' | 'breaks' | bigint

interface Item {
  readonly id: number
  readonly method: string
  readonly params: unknown[]
}

const FINAL_DEPTH = 2n
const hex = (height: bigint) => `0x${height.toString(16)}`

/** A gateway of its own in front of an EVM node, over real HTTP on a free loopback port. */
export async function startTestProxy(target: string): Promise<TestProxy> {
  const requests: (readonly string[])[] = []
  let mode: ProxyMode = 'passes'
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = JSON.parse(await readAll(request)) as Item | Item[]
    const items = Array.isArray(body) ? body : [body]
    requests.push(items.map(({ method }) => method))
    if (mode === 'hangs') return
    if (mode === 'breaks') {
      request.socket.destroy()
      return
    }
    if (mode === 'refuses') {
      response.writeHead(503).end('busy')
      return
    }
    const end = typeof mode === 'bigint' ? mode : undefined
    const asked = end === undefined ? items : items.map((item) => beforeEnd(item, end))
    const passed = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(asked),
    })
    const answers = (await passed.json()) as { id: number; result?: unknown }[]
    const shown =
      end === undefined ? answers : answers.map((each) => hideAfterEnd(items, each, end))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(Array.isArray(body) ? shown : shown[0]))
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(502).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    set: (next) => {
      mode = next
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function beforeEnd(item: Item, end: bigint): Item {
  const tags = new Map<unknown, bigint>([
    ['latest', end],
    ['finalized', end > FINAL_DEPTH ? end - FINAL_DEPTH : 0n],
  ])
  const heightOf = (tag: unknown) => {
    const height = tags.get(tag)
    return height === undefined ? tag : hex(height)
  }
  return { ...item, params: item.params.map(heightOf) }
}

function hideAfterEnd(items: readonly Item[], each: { id: number; result?: unknown }, end: bigint) {
  const method = items.find(({ id }) => id === each.id)?.method
  if (method === 'eth_blockNumber') return { ...each, result: hex(end) }
  const fields = each.result as { number?: string; blockNumber?: string } | null | undefined
  const height = fields?.number ?? fields?.blockNumber
  return typeof height === 'string' && BigInt(height) > end ? { ...each, result: null } : each
}
