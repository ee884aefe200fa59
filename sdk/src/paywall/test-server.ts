import { once } from 'node:events'
import { request } from 'node:http'
import type { ClientRequest, OutgoingHttpHeaders, Server } from 'node:http'
import { onTestFinished } from 'vitest'

/** Lets a server listen on this machine until its test is over. */
export async function openTestServer(server: Server): Promise<{
  readonly port: number
  /** A request to it that is not sent yet. */
  asking(headers?: OutgoingHttpHeaders): ClientRequest
}> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const { port } = address
  return { port, asking: (headers = {}) => request({ port, host: '127.0.0.1', headers }) }
}
