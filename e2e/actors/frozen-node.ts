import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text as readAll } from 'node:stream/consumers'

/** A node of Solana that goes on answering and whose chain stands still. */
export interface FrozenNode {
  readonly url: string
  stop(): Promise<void>
}

interface Item {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/** What tells of a chain where it ends; all else is answered by the target. */
const ENDS: ReadonlySet<string> = new Set(['getSlot', 'getEpochInfo', 'getLatestBlockhash'])

const post = async (target: string, body: unknown): Promise<unknown> => {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(target, { method: 'POST', headers, body: JSON.stringify(body) })
  return answer.json()
}

/**
 * A node of its own before another one, over real HTTP on a free loopback port. It stands where that one is now, knows no blockhash of later and has
 * seen no transaction of later.
 */
export async function startFrozenNode(target: string): Promise<FrozenNode> {
  const known = new Map<string, unknown>()
  for (const method of ENDS) {
    for (const commitment of ['finalized', 'confirmed']) {
      const params = [{ commitment }]
      const { result } = (await post(target, { jsonrpc: '2.0', id: 0, method, params })) as {
        result: unknown
      }
      known.set(JSON.stringify([method, params]), result)
    }
  }
  const slotAt = (config: unknown) => known.get(JSON.stringify(['getSlot', [config]]))
  const frozen = ({ method, params }: Item): unknown => {
    if (method === 'isBlockhashValid') return { context: { slot: slotAt(params[1]) }, value: false }
    if (method !== 'getSignatureStatuses') return known.get(JSON.stringify([method, params]))
    const [hashes] = params as [readonly string[]]
    const context = { slot: slotAt({ commitment: 'confirmed' }) }
    return { context, value: hashes.map(() => null) }
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = JSON.parse(await readAll(request)) as Item | Item[]
    const items = Array.isArray(body) ? body : [body]
    const answers = await Promise.all(
      items.map(async (item) => {
        const result = frozen(item)
        return result === undefined ? post(target, item) : { jsonrpc: '2.0', id: item.id, result }
      }),
    )
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]))
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(502).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
