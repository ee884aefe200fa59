import type { IncomingMessage, ServerResponse } from 'node:http'
import { AnvilRefusal, AnvilUnreachable } from '../evm/anvil-client.ts'
import { readBody, sendJson } from '../host/http.ts'
import type { JsonObject } from '../host/json.ts'
import { parseJson } from '../host/json.ts'
import type { FaultTargets } from './apply-fault.ts'
import { applyFault, clearFaults } from './apply-fault.ts'
import { SolanaUnreachable } from '../solana/node.ts'
import { BadFault, readFault } from './read-fault.ts'

const BODY_BYTES_MAX = 1024 * 1024

/** GET: what stands. POST: one more fault. DELETE: none any more. Each answers with the state after it. */
export async function answerFaults(
  targets: FaultTargets,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    if (request.method === 'POST') {
      const body = await readBody(request, BODY_BYTES_MAX)
      if (body === undefined) throw new BadFault(`at most ${BODY_BYTES_MAX} bytes`)
      await applyFault(targets, readFault(parseJson(body.toString('utf8'))))
    } else if (request.method === 'DELETE') {
      await clearFaults(targets)
    } else if (request.method !== 'GET') {
      return sendJson(response, 405, refusal('METHOD_NOT_ALLOWED', 'GET, POST or DELETE'))
    }
    sendJson(response, 200, await stateOf(targets))
  } catch (error) {
    if (error instanceof BadFault || error instanceof AnvilRefusal) {
      return sendJson(response, 400, refusal('INVALID_PARAMETERS', error.message))
    }
    if (error instanceof AnvilUnreachable || error instanceof SolanaUnreachable) {
      return sendJson(response, 503, refusal('NETWORK_ERROR', error.message))
    }
    throw error
  }
}

async function stateOf({ standing, miner, node, solana }: FaultTargets): Promise<JsonObject> {
  return {
    success: true,
    faults: standing.list().map((fault): JsonObject => ({ ...fault })),
    blocksStopped: miner.paused(),
    anvilPid: node.pid(),
    solana: await solana.state(),
  }
}

function refusal(code: string, message: string): JsonObject {
  return { success: false, error: { code, message } }
}
