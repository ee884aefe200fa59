import { setTimeout as delay } from 'node:timers/promises'
import type { Failure } from '../../faults/fault.ts'
import type { StandingFaults } from '../../faults/standing.ts'
import type { Json } from '../../host/json.ts'
import { isJsonArray, isJsonObject, parseJson } from '../../host/json.ts'
import type { Log } from '../../host/log.ts'
import type { RpcObject, RpcValue } from '../rpc-json.ts'
import { rpcText } from '../rpc-json.ts'
import type { RpcContext } from './method.ts'
import { methodNamed } from './methods.ts'
import { configAt, textAt } from './params.ts'
import { RPC_CODE, RpcFailure } from './rpc-failure.ts'
import { readWireParam } from './wire-param.ts'

export const BODY_BYTES_MAX = 5 * 1024 * 1024
const BATCH_CALLS_MAX = 1_000
const INTERNAL_ERROR = -32_603

export interface AnswerParts {
  readonly context: RpcContext
  readonly log: Log
  /** Present only when the sandbox was started for fault tests. */
  readonly faults?: StandingFaults
}

/** The whole request ends like this, whatever its other calls say. */
export type Breakage = 'http-500' | 'connection-reset' | 'hang'

export type Answer = { readonly kind: 'text'; readonly text: string } | { readonly kind: Breakage }

export interface RpcCall {
  readonly id: Json
  readonly method: string
  readonly params: readonly Json[]
}

/** Answers one JSON-RPC body, single or batch, call by call. */
export async function answerBody(parts: AnswerParts, body: Buffer): Promise<Answer> {
  const parsed = parseJson(body.toString('utf8'))
  if (parsed === undefined) return complaint(RPC_CODE.parse, 'Parse error')
  const isBatch = isJsonArray(parsed)
  const elements: readonly Json[] = isBatch ? parsed : [parsed]
  if (elements.length === 0 || elements.length > BATCH_CALLS_MAX) {
    return complaint(RPC_CODE.invalidRequest, `a batch has 1 to ${BATCH_CALLS_MAX} calls`)
  }
  const answers: RpcValue[] = []
  let broken: Breakage | undefined
  for (const element of elements) {
    const answer = await answerOne(parts, element)
    if (typeof answer === 'string') broken ??= answer
    else answers.push(answer)
  }
  if (broken !== undefined) return { kind: broken }
  return { kind: 'text', text: rpcText(isBatch ? answers : (answers[0] ?? null)) }
}

export function readCall(value: Json): RpcCall | undefined {
  if (!isJsonObject(value) || typeof value['method'] !== 'string') return undefined
  const { id = null, method, params = [] } = value
  return isJsonArray(params) ? { id, method, params } : undefined
}

export function resultOf(id: Json, result: RpcValue): RpcObject {
  return { jsonrpc: '2.0', id, result }
}

export function errorOf(
  id: Json,
  { code, message, data }: { code: number; message: string; data?: RpcValue | undefined },
): RpcObject {
  return {
    jsonrpc: '2.0',
    id,
    error: data === undefined ? { code, message } : { code, message, data },
  }
}

async function answerOne(
  { context, faults, log }: AnswerParts,
  element: Json,
): Promise<RpcObject | Breakage> {
  const call = readCall(element)
  if (call === undefined) {
    return errorOf(null, { code: RPC_CODE.invalidRequest, message: 'Invalid request' })
  }
  const isFaulty = faults !== undefined && call.method !== 'florin_sandbox'
  const treatment = isFaulty ? faults.treat(call.method) : undefined
  if (treatment === undefined) return await run(context, call, log)
  const { delayMilliseconds, end } = treatment
  if (delayMilliseconds > 0) await delay(delayMilliseconds)
  switch (end.kind) {
    case 'pass':
      return await run(context, call, log)
    case 'hang':
      return 'hang'
    case 'drop':
      return dropped(call)
    case 'fail':
      if (end.forward) await run(context, call, log)
      return failed(call, end.answer)
    default:
      return end satisfies never
  }
}

async function run(context: RpcContext, call: RpcCall, log: Log): Promise<RpcObject> {
  const method = methodNamed(call.method)
  if (method === undefined) {
    return errorOf(call.id, { code: RPC_CODE.methodNotFound, message: 'Method not found' })
  }
  try {
    return resultOf(call.id, await method(context, call.params))
  } catch (error) {
    if (error instanceof RpcFailure) return errorOf(call.id, error)
    log(`${call.method} failed: ${error instanceof Error ? error.message : 'unknown'}`)
    return errorOf(call.id, { code: INTERNAL_ERROR, message: 'Internal error' })
  }
}

/** The answer of a node that takes a transaction and loses it. */
function dropped({ id, params }: RpcCall): RpcObject {
  try {
    return resultOf(id, readWireParam(textAt(params, 0), configAt(params, 1)).signature)
  } catch (error) {
    if (error instanceof RpcFailure) return errorOf(id, error)
    throw error
  }
}

function failed({ id }: RpcCall, failure: Failure): RpcObject | Breakage {
  return typeof failure === 'string' ? failure : errorOf(id, failure)
}

function complaint(code: number, message: string): Answer {
  return { kind: 'text', text: rpcText(errorOf(null, { code, message })) }
}
