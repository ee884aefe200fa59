import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import { startService } from './service.ts'
import type { World } from './world.ts'

/** What the facilitator in between does with a request; `honest` hands it on and its answer back. */
export type Trick = (honest: () => Promise<Said>, answer: ServerResponse) => Promise<void>

/** An answer as the real one gave it. */
export interface Said {
  readonly status: number
  readonly text: string
}

/** A second Florin with a database and keys of its own on the world's chain, and a liar in front of it. */
export interface Remote {
  /** As FLORIN_FACILITATORS lists them. */
  readonly setting: string
  /** The real one. */
  readonly url: string
  /** The same through whoever stands in between. */
  readonly trickedUrl: string
  /** Addresses that pay for its settlements. */
  readonly settlers: readonly string[]
  readonly key: string
  /** What was asked of the one in between, in order. */
  readonly asked: { readonly path: string; readonly authorization: string | undefined }[]
  /** What it does from now on; left out, it is honest. */
  trick(path: 'verify' | 'settle', trick?: Trick): void
  stop(): Promise<void>
}

export async function startRemote(world: World): Promise<Remote> {
  const database = await openTestDatabase()
  const service = await startService({ sandbox: world.sandbox, databaseUrl: database.url.reveal() })
  for (const { address } of service.settlers) await world.sandbox.fund(address, 'native', '50')
  const key = service.apiKeys.enterprise
  const asked: Remote['asked'] = []
  const tricks = new Map<string, Trick>()
  const liar = createServer((request, answer) => {
    void take(request, answer)
  })
  async function take(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('/').at(-1) ?? ''
    asked.push({ path, authorization: request.headers.authorization })
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const honest = async (): Promise<Said> => {
      const reply = await fetch(`${service.baseUrl}/x402/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: Buffer.concat(chunks),
      })
      return { status: reply.status, text: await reply.text() }
    }
    const trick = tricks.get(path)
    if (trick !== undefined) return trick(honest, answer)
    const { status, text } = await honest()
    answer.writeHead(status, { 'content-type': 'application/json' }).end(text)
  }
  await new Promise<void>((resolve) => liar.listen(0, '127.0.0.1', resolve))
  const { port } = liar.address() as AddressInfo
  const { host } = new URL(service.baseUrl)
  return {
    setting: `http://:${key}@${host}/x402, http://127.0.0.1:${port}/x402/`,
    url: `http://${host}/x402`,
    trickedUrl: `http://127.0.0.1:${port}/x402`,
    settlers: service.settlers.map(({ address }) => address),
    key,
    asked,
    trick: (path, trick) => {
      if (trick === undefined) tricks.delete(path)
      else tricks.set(path, trick)
    },
    stop: async () => {
      liar.closeAllConnections()
      await new Promise((resolve) => liar.close(resolve))
      await service.stop()
      await database.close()
    },
  }
}
