import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import { verifyWebhook } from '@florin/sdk'
import type { Taken } from './hook.ts'

// A receiver of webhooks, as somebody who uses the client would write it. It is told its secrets on standard input.
const { port } = JSON.parse(process.argv[2] ?? '{}') as { port: number }
let secrets: readonly string[] = []
let answers: 'taken' | 'refused' = 'taken'

const say = (taken: Taken) => process.stdout.write(`${JSON.stringify(taken)}\n`)

const server = createServer((request, response) => {
  void buffer(request).then(async (body) => {
    const signature = String(request.headers['florin-signature'])
    try {
      const event = await verifyWebhook({ body, signature, secret: secrets })
      if (answers === 'taken') say({ kind: 'taken', event })
      response.statusCode = answers === 'taken' ? 200 : 503
    } catch {
      say({ kind: 'unsigned' })
      response.statusCode = 400
    }
    response.end()
  })
})
server.listen(port, '127.0.0.1', () => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('it does not listen')
  process.stdout.write(`${address.port}\n`)
})
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const told = JSON.parse(line) as { secrets?: readonly string[]; answers?: typeof answers }
    secrets = told.secrets ?? secrets
    answers = told.answers ?? answers
    say({ kind: 'told' })
  })
  .on('close', () => process.exit(0))
