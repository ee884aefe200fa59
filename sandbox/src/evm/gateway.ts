import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { keccak256 } from 'viem'
import type { Failure } from '../faults/fault.ts'
import type { StandingFaults, Treatment } from '../faults/standing.ts'
import { httpServer, readBody, sendJson } from '../host/http.ts'
import type { Json, JsonObject } from '../host/json.ts'
import { parseJson } from '../host/json.ts'
import type { Log } from '../host/log.ts'
import { isMeantForLoopback } from '../host/loopback.ts'
import { AnvilUnreachable } from './anvil-client.ts'
import type { RpcCall } from './json-rpc.ts'
import { readCall, rpcError, rpcResult } from './json-rpc.ts'
import type { EvmNode } from './node.ts'
import type { Traffic } from './traffic.ts'

const BODY_BYTES_MAX = 5 * 1024 * 1024
const BATCH_CALLS_MAX = 1_000
const CHEATS = /^(anvil|evm|hardhat)_/
const IDENTITY_METHOD = 'florin_sandbox'

export interface GatewayParts {
  readonly node: EvmNode
  readonly traffic: Traffic
  readonly log: Log
  /** Present only when the sandbox was started for fault tests; then cheat methods are let through, too. */
  readonly faults?: StandingFaults
}

/** What became of one call: an answer of ours, or the node's to come. */
type Handled =
  | { readonly kind: 'answered'; readonly answer: JsonObject }
  | { readonly kind: 'forward'; readonly call: RpcCall; readonly failure?: Failure }

/** The whole request ends like this, whatever its other calls say. */
class Broken {
  readonly how: 'http-500' | 'connection-reset' | 'hang'
  constructor(how: Broken['how']) {
    this.how = how
  }
}

/**
 * The one address of the EVM chain: JSON-RPC as anvil speaks it, at a port that stays while anvil comes and goes.
 * It knows who the sandbox is, keeps cheat methods inside, holds calls back while a block is mined, and carries out
 * standing faults.
 */
export function createGateway(parts: GatewayParts): Server {
  return httpServer(async (request, response) => await handle(parts, request, response), parts.log)
}

async function handle(
  parts: GatewayParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const down = parts.faults?.down()
  if (down !== undefined) return breakOff(new Broken(down), response)
  if (!isMeantForLoopback(request)) {
    return sendJson(response, 403, { error: 'this node answers requests to loopback names only' })
  }
  if (request.method !== 'POST') return sendJson(response, 405, { error: 'POST a JSON-RPC call' })
  const body = await readBody(request, BODY_BYTES_MAX)
  if (body === undefined) {
    return sendJson(response, 413, { error: `a body has at most ${BODY_BYTES_MAX} bytes` })
  }
  const parsed = parseJson(body.toString('utf8'))
  const answer = await answerBody(parts, parsed, body)
  if (answer instanceof Broken) return breakOff(answer, response)
  if (answer === 'unreachable') {
    const text = { code: -32_000, message: 'the sandbox node is restarting' }
    return sendJson(response, 503, rpcError(readCall(parsed)?.id ?? null, text))
  }
  if (!Buffer.isBuffer(answer)) return sendJson(response, 200, answer)
  if (response.destroyed) return
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length })
  response.end(answer)
}

async function answerBody(
  parts: GatewayParts,
  parsed: Json | undefined,
  body: Buffer,
): Promise<Json | Buffer | Broken | 'unreachable'> {
  if (parsed === undefined) return rpcError(null, { code: -32_700, message: 'Parse error' })
  const isBatch = Array.isArray(parsed)
  const elements: readonly (Json | undefined)[] = isBatch ? parsed : [parsed]
  if (elements.length === 0 || elements.length > BATCH_CALLS_MAX) {
    return rpcError(null, { code: -32_600, message: `a batch has 1 to ${BATCH_CALLS_MAX} calls` })
  }
  const handled: Handled[] = []
  for (const element of elements) {
    const outcome = await handleCall(parts, element)
    if (outcome instanceof Broken) return outcome
    handled.push(outcome)
  }
  try {
    if (handled.every((each) => each.kind === 'forward' && each.failure === undefined)) {
      return await forward(parts, body)
    }
    const answers = await answerApart(parts, handled)
    if (answers instanceof Broken) return answers
    return isBatch ? answers : (answers[0] ?? null)
  } catch (error) {
    if (error instanceof AnvilUnreachable) return 'unreachable'
    throw error
  }
}

async function handleCall(
  { node, faults }: GatewayParts,
  element: Json | undefined,
): Promise<Handled | Broken> {
  const call = readCall(element)
  if (call === undefined) {
    return answered(rpcError(null, { code: -32_600, message: 'Invalid request' }))
  }
  if (call.method === IDENTITY_METHOD) {
    return answered(rpcResult(call.id, { instance: node.identity().instance, family: 'evm' }))
  }
  if (faults === undefined) {
    return CHEATS.test(call.method)
      ? answered(rpcError(call.id, cheatError(call.method)))
      : { kind: 'forward', call }
  }
  return await treated(call, faults.treat(call.method))
}

async function treated(
  call: RpcCall,
  { delayMilliseconds, end }: Treatment,
): Promise<Handled | Broken> {
  if (delayMilliseconds > 0) await delay(delayMilliseconds)
  switch (end.kind) {
    case 'pass':
      return { kind: 'forward', call }
    case 'hang':
      return new Broken('hang')
    case 'drop':
      return answered(rpcResult(call.id, hashOf(call)))
    case 'fail': {
      if (end.forward) return { kind: 'forward', call, failure: end.answer }
      if (typeof end.answer === 'string') return new Broken(end.answer)
      return answered(rpcError(call.id, end.answer))
    }
    default:
      return end satisfies never
  }
}

/** Forwards one by one what must go to the node, in order, and puts the answers together. */
async function answerApart(
  parts: GatewayParts,
  handled: readonly Handled[],
): Promise<readonly Json[] | Broken> {
  const answers: Json[] = []
  let broken: Broken | undefined
  for (const each of handled) {
    if (each.kind === 'answered') {
      answers.push(each.answer)
      continue
    }
    const bytes = await forward(parts, JSON.stringify(each.call.source))
    const { failure, call } = each
    if (failure === undefined) answers.push(parseJson(bytes.toString('utf8')) ?? null)
    else if (typeof failure === 'string') broken = new Broken(failure)
    else answers.push(rpcError(call.id, failure))
  }
  return broken ?? answers
}

async function forward({ node, traffic }: GatewayParts, body: string | Buffer): Promise<Buffer> {
  return await traffic.pass(async () => await node.running().client.post(body))
}

function answered(answer: JsonObject): Handled {
  return { kind: 'answered', answer }
}

function cheatError(method: string): { code: number; message: string } {
  return {
    code: -32_601,
    message: `${method} is closed: ask the faucet for funds, or start the sandbox with --faults`,
  }
}

function hashOf(call: RpcCall): Json {
  const raw: Json | undefined = Array.isArray(call.params) ? call.params[0] : undefined
  if (typeof raw !== 'string' || !/^0x([0-9a-fA-F]{2})+$/.test(raw)) return null
  return keccak256(`0x${raw.slice(2)}`)
}

function breakOff({ how }: Broken, response: ServerResponse): void {
  switch (how) {
    case 'connection-reset':
      response.socket?.resetAndDestroy()
      return
    case 'http-500':
      return sendJson(response, 500, { error: 'Internal Server Error' })
    case 'hang':
      return
    default:
      how satisfies never
  }
}
