import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'

/** The same chain behind a node that keeps no inner instructions, as Agave does unless told otherwise. */
export async function startForgetfulNode(
  rpcUrl: string,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const server = createServer((request, response) => {
    void (async () => {
      const asked = await buffer(request)
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(rpcUrl, { method: 'POST', headers, body: asked.toString() })
      const text = await answer.text()
      response.writeHead(answer.status, headers)
      // Nothing in a transaction's record is too large for a number of JSON.
      response.end(asked.includes('"getTransaction"') ? forgotten(text) : text)
    })()
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

function forgotten(text: string): string {
  const answer: unknown = JSON.parse(text, (key, value: unknown) =>
    key === 'innerInstructions' ? null : value,
  )
  return JSON.stringify(answer)
}
