import { setTimeout as delay } from 'node:timers/promises'
import { keccak256, numberToHex } from 'viem/utils'
import type { Failure } from '../faults/fault.ts'
import type { StandingFaults, Treatment } from '../faults/standing.ts'
import type { Json, JsonObject } from '../host/json.ts'
import { isJsonArray, parseJson } from '../host/json.ts'
import { AnvilUnreachable } from './anvil-client.ts'
import { namesFinality, pinFinality } from './finality.ts'
import type { RpcCall } from './json-rpc.ts'
import { laggingCall } from './lagging.ts'
import { readCall, rpcError, rpcResult } from './json-rpc.ts'
import type { EvmNode } from './node.ts'
import type { Traffic } from './traffic.ts'

export const BODY_BYTES_MAX = 5 * 1024 * 1024
const BATCH_CALLS_MAX = 1_000
const CHEATS = /^(anvil|evm|hardhat)_/
const SENDS = 'eth_sendRawTransaction'
const IDENTITY_METHOD = 'florin_sandbox'

export interface AnswerParts {
  readonly node: EvmNode
  readonly traffic: Traffic
  /** Present only when the sandbox was started for fault tests; then cheat methods are let through, too. */
  readonly faults?: StandingFaults
  /** Told whenever the node was handed a transaction. */
  readonly onSent?: () => void
}

/** What a body is answered; `unreachable`: no anvil has it, or nobody can say whether one has. */
export type Answer =
  | { readonly kind: 'json'; readonly json: Json }
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'unreachable' | Breakage }

/** The whole request ends like this, whatever its other calls say. */
export type Breakage = 'http-500' | 'connection-reset' | 'hang'

type Step =
  | { readonly kind: 'answer'; readonly json: JsonObject }
  | {
      readonly kind: 'forward'
      readonly call: RpcCall
      readonly failure?: Failure
      /** So far behind the newest block is the node that is to answer it. */
      readonly lagBlocks?: number
    }
  | { readonly kind: Breakage }

/**
 * Answers one JSON-RPC body, single or batch: says who the sandbox is, keeps cheat methods inside, carries out standing
 * faults, pins what is final, and hands everything else to anvil as it is.
 */
export async function answerBody(parts: AnswerParts, body: Buffer): Promise<Answer> {
  const parsed = parseJson(body.toString('utf8'))
  if (parsed === undefined) return complaint(-32_700, 'Parse error')
  const isBatch = isJsonArray(parsed)
  const elements: readonly Json[] = isBatch ? parsed : [parsed]
  if (elements.length === 0 || elements.length > BATCH_CALLS_MAX) {
    return complaint(-32_600, `a batch has 1 to ${BATCH_CALLS_MAX} calls`)
  }
  const steps: Step[] = []
  for (const element of elements) steps.push(await decide(parts, element))
  const broken = steps.find((step) => step.kind !== 'answer' && step.kind !== 'forward')
  if (broken !== undefined) return { kind: broken.kind }
  try {
    const sends = steps.some((step) => step.kind === 'forward' && step.call.method === SENDS)
    const calls = steps.flatMap((step) =>
      step.kind === 'forward' && step.failure === undefined && step.lagBlocks === undefined
        ? [step.call]
        : [],
    )
    const answer: Answer =
      calls.length === steps.length
        ? {
            kind: 'bytes',
            bytes: await forward(parts, () => pinnedBody(parts, body, calls, isBatch)),
          }
        : await answerApart(parts, steps, isBatch)
    if (sends) parts.onSent?.()
    return answer
  } catch (error) {
    if (error instanceof AnvilUnreachable) return { kind: 'unreachable' }
    throw error
  }
}

async function decide({ node, faults }: AnswerParts, element: Json): Promise<Step> {
  const call = readCall(element)
  if (call === undefined) {
    return { kind: 'answer', json: rpcError(null, { code: -32_600, message: 'Invalid request' }) }
  }
  if (call.method === IDENTITY_METHOD) {
    const { instance } = node.identity()
    return { kind: 'answer', json: rpcResult(call.id, { instance, family: 'evm' }) }
  }
  if (faults !== undefined) return await treated(call, faults.treat(call.method))
  if (!CHEATS.test(call.method)) return { kind: 'forward', call }
  const message = `${call.method} is closed: ask the faucet for funds, or start the sandbox with --faults`
  return { kind: 'answer', json: rpcError(call.id, { code: -32_601, message }) }
}

async function treated(
  call: RpcCall,
  { delayMilliseconds, lagBlocks, end }: Treatment,
): Promise<Step> {
  if (delayMilliseconds > 0) await delay(delayMilliseconds)
  switch (end.kind) {
    case 'pass':
      return { kind: 'forward', call, ...(lagBlocks > 0 ? { lagBlocks } : {}) }
    case 'hang':
      return { kind: 'hang' }
    case 'drop':
      return { kind: 'answer', json: rpcResult(call.id, hashOf(call)) }
    case 'fail':
      if (end.forward) return { kind: 'forward', call, failure: end.answer }
      if (typeof end.answer === 'string') return { kind: end.answer }
      return { kind: 'answer', json: rpcError(call.id, end.answer) }
    default:
      return end satisfies never
  }
}

/** A body as the node gets it: as it came, except where it asks for what is final. */
function pinnedBody(
  { node }: AnswerParts,
  body: Buffer,
  calls: readonly RpcCall[],
  isBatch: boolean,
): string | Buffer {
  if (!namesFinality(body)) return body
  const height = node.finalHeight()
  const pinned = calls.map(({ source }) => pinFinality(source, height))
  return JSON.stringify(isBatch ? pinned : pinned[0])
}

/** Forwards call by call what must go to the node, in order, and puts the answers together. */
async function answerApart(
  parts: AnswerParts,
  steps: readonly Step[],
  isBatch: boolean,
): Promise<Answer> {
  const answers: Json[] = []
  let broken: Breakage | undefined
  for (const step of steps) {
    if (step.kind === 'answer') answers.push(step.json)
    if (step.kind !== 'forward') continue
    const { call, failure, lagBlocks = 0 } = step
    const unasked = lagBlocks > 0 ? unaskedAnswer(parts, call, lagBlocks) : undefined
    if (unasked !== undefined) {
      answers.push(unasked)
      continue
    }
    const bytes = await forward(parts, () => JSON.stringify(askedOf(parts, call, lagBlocks)))
    if (failure === undefined) answers.push(parseJson(bytes.toString('utf8')) ?? null)
    else if (typeof failure === 'string') broken = failure
    else answers.push(rpcError(call.id, failure))
  }
  if (broken !== undefined) return { kind: broken }
  return { kind: 'json', json: isBatch ? answers : (answers[0] ?? null) }
}

/** A call as the node gets it, or a node that lags. */
function askedOf({ node }: AnswerParts, { source }: RpcCall, lagBlocks: number): JsonObject {
  if (lagBlocks === 0) return pinFinality(source, node.finalHeight())
  const height = Math.max(0, node.headHeight() - lagBlocks)
  const pinned = pinFinality(source, Math.min(node.finalHeight(), height))
  return laggingCall(pinned, height) ?? pinned
}

/** What a node that lags says without looking; undefined where it looks. */
function unaskedAnswer({ node }: AnswerParts, call: RpcCall, lagBlocks: number): Json | undefined {
  const height = Math.max(0, node.headHeight() - lagBlocks)
  if (call.method === 'eth_blockNumber') return rpcResult(call.id, numberToHex(height))
  if (laggingCall(call.source, height) !== undefined) return undefined
  return rpcError(call.id, { code: -32_000, message: 'header not found' })
}

/** The body is made inside, when no block can come between it and its answer. */
async function forward(
  { node, traffic }: AnswerParts,
  body: () => string | Buffer,
): Promise<Buffer> {
  return await traffic.pass(async () => await node.running().client.post(body()))
}

function complaint(code: number, message: string): Answer {
  return { kind: 'json', json: rpcError(null, { code, message }) }
}

function hashOf({ params }: RpcCall): Json {
  const raw: Json | undefined = isJsonArray(params) ? params[0] : undefined
  if (typeof raw !== 'string' || !/^0x([0-9a-fA-F]{2})+$/.test(raw)) return null
  return keccak256(`0x${raw.slice(2)}`)
}
