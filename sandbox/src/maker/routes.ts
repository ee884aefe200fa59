import type { IncomingMessage, ServerResponse } from 'node:http'
import { readBody, sendJson } from '../host/http.ts'
import type { Json } from '../host/json.ts'
import { parseJson } from '../host/json.ts'
import type { SolanaNode } from '../solana/node.ts'
import { SolanaUnreachable } from '../solana/node.ts'

const BODY_BYTES_MAX = 4_096
const ASKS: Readonly<Record<string, string>> = {
  'GET /maker': 'about',
  'POST /maker/quote': 'quote',
  'POST /maker/sign': 'sign',
}

/** Everything under /maker: the market of the Solana sandbox. */
export async function answerMaker(
  solana: Pick<SolanaNode, 'maker'>,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const ask = ASKS[`${request.method ?? ''} ${path}`]
  if (ask === undefined) {
    return refuse(response, 404, 'NOT_FOUND', Object.keys(ASKS).join(', '))
  }
  const text = await readBody(request, BODY_BYTES_MAX)
  if (text === undefined) {
    return refuse(response, 413, 'PAYLOAD_TOO_LARGE', `at most ${BODY_BYTES_MAX} bytes`)
  }
  const body: Json = parseJson(text.toString('utf8')) ?? null
  try {
    const answer = await solana.maker({ ask, body })
    sendJson(response, answer.status, answer.body)
  } catch (error) {
    if (!(error instanceof SolanaUnreachable)) throw error
    refuse(response, 503, 'NETWORK_ERROR', 'the Solana chain is starting')
  }
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  sendJson(response, status, { success: false, error: { code, message } })
}
