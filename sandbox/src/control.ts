import type { Server } from 'node:http'
import { answerFaucet } from './faucet/routes.ts'
import type { Payers } from './faucet/routes.ts'
import { answerMaker } from './maker/routes.ts'
import type { SolanaNode } from './solana/node.ts'
import type { FaultTargets } from './faults/apply-fault.ts'
import { answerFaults } from './faults/routes.ts'
import { httpServer, sendJson } from './host/http.ts'
import type { Log } from './host/log.ts'
import { isMeantForLoopback } from './host/loopback.ts'

/** The sandbox's own small server, apart from the chain's port so that faults there do not reach it. */
export function createControl({
  payers,
  faults,
  solana,
  log,
}: {
  readonly payers: Payers
  readonly solana: Pick<SolanaNode, 'maker'>
  /** Present only when the sandbox was started for fault tests. */
  readonly faults?: FaultTargets
  readonly log: Log
}): Server {
  return httpServer(async (request, response) => {
    const path = request.url?.split('?')[0] ?? ''
    if (!isMeantForLoopback(request)) {
      return sendJson(response, 403, refusal('FORBIDDEN', 'for loopback names only'))
    }
    if (path === '/faucet') return await answerFaucet(payers, request, response)
    if (path === '/maker' || path.startsWith('/maker/')) {
      return await answerMaker(solana, path, request, response)
    }
    if (path === '/faults' && faults !== undefined) {
      return await answerFaults(faults, request, response)
    }
    sendJson(response, 404, refusal('NOT_FOUND', 'the sandbox has /faucet and /maker here'))
  }, log)
}

function refusal(
  code: string,
  message: string,
): { success: false; error: { code: string; message: string } } {
  return { success: false, error: { code, message } }
}
