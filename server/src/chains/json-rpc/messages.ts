import { NodeFailure } from '../chain.ts'
import { AnswerTooLong, isTooLongToAnswer } from './answer-too-long.ts'
import { isObject } from './answer.ts'
import { BatchRefused, isAboutBatch } from './batch-refused.ts'

/** One JSON-RPC call. Source: JSON-RPC 2.0. */
export interface NodeCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** What a node said of one call: a result, or an error in its own words. */
export type NodeAnswer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: NodeError }

/** A JSON-RPC error. The text is the node's own and stays inside. */
export interface NodeError {
  readonly code: number
  readonly message: string
}

const ERROR_CHARACTERS_MAX = 300

/** Calls as the body of one request. Some gateways take single calls only, so a batch of one is not sent as a batch. */
export function writeCalls(calls: readonly NodeCall[]): string {
  const items = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
  return JSON.stringify(items.length === 1 ? items[0] : items)
}

/**
 * The answers to `count` calls in their order, a NodeFailure in place of one that is missing, AnswerTooLong where the node says that. Throws NodeFailure when
 * the body is no answer to them at all, AnswerTooLong where it says so of all. `scrub` takes secrets out of the node's texts.
 */
export function readAnswers(
  text: string,
  count: number,
  scrub: (text: string) => string,
): readonly (NodeAnswer | NodeFailure)[] {
  const body = parseJson(text)
  const items = count === 1 && !Array.isArray(body) ? [body] : body
  if (!Array.isArray(items)) {
    const error = errorOf(body, scrub)
    const why = `the node refused a batch: ${error.message}`
    if (isTooLongToAnswer(error)) throw new AnswerTooLong(why)
    throw isAboutBatch(error.message) ? new BatchRefused(why) : new NodeFailure(why)
  }
  const answers = new Map<unknown, NodeAnswer | NodeFailure>()
  for (const item of items) {
    const answer = answerFrom(item, scrub)
    if (isObject(item) && answer !== undefined) answers.set(item['id'], answer)
  }
  const refusal = count > 1 ? refusalOf([...answers.values()]) : undefined
  if (refusal !== undefined) throw new BatchRefused(`the node refused a batch: ${refusal}`)
  return Array.from(
    { length: count },
    (_, id) => answers.get(id) ?? new NodeFailure('the node left a call unanswered'),
  )
}

/** What a node says of the whole batch in the place of answers: Geth with the first call's id, others with each. */
function refusalOf(answers: readonly (NodeAnswer | NodeFailure)[]): string | undefined {
  const errors = answers.flatMap((answer) =>
    answer instanceof NodeFailure || answer.ok ? [] : [answer.error.message],
  )
  return errors.length === answers.length ? errors.find(isAboutBatch) : undefined
}

/** Whether what a node said with a status that is no success is that a batch is too large for it. */
export function isBatchRefusal(text: string, count: number): boolean {
  if (count < 2) return false
  try {
    readAnswers(text, count, (said) => said)
    return false
  } catch (error) {
    if (error instanceof BatchRefused) return true
    if (error instanceof NodeFailure) return false
    throw error
  }
}

/**
 * An integer of 9e15 or more, which a number may not hold. A quoted text that looks like one costs only time: a full Solana block of 3 MB
 * takes 40 ms without and 300 ms with a look at each value, so smaller ones are not taken for large.
 */
const LARGE_INTEGER = /[:[,]\s*-?(?:9[0-9]{15}|[0-9]{17,})/
const INTEGER = /^-?[0-9]+$/

/** Integers beyond a number's precision (Solana's lamports and epochs are bare u64) become bigint, digit by digit. */
function parseJson(text: string): unknown {
  try {
    return LARGE_INTEGER.test(text) ? JSON.parse(text, exactInteger) : JSON.parse(text)
  } catch {
    throw new NodeFailure('the node did not answer in JSON')
  }
}

function exactInteger(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const source = context?.source
  return source !== undefined && INTEGER.test(source) ? BigInt(source) : value
}

function answerFrom(
  item: unknown,
  scrub: (text: string) => string,
): NodeAnswer | AnswerTooLong | undefined {
  if (!isObject(item)) return undefined
  const error = item['error']
  if (error === undefined || error === null) {
    return 'result' in item ? { ok: true, result: item['result'] } : undefined
  }
  const said = errorOf(item, scrub)
  if (isTooLongToAnswer(said)) return new AnswerTooLong(`${said.code} ${said.message}`)
  return { ok: false, error: said }
}

function errorOf(body: unknown, scrub: (text: string) => string): NodeError {
  const error = isObject(body) ? body['error'] : undefined
  const code = isObject(error) && typeof error['code'] === 'number' ? error['code'] : 0
  const message = isObject(error) ? error['message'] : error
  if (typeof message !== 'string') return { code, message: 'no reason' }
  return { code, message: scrub(message).slice(0, ERROR_CHARACTERS_MAX) }
}
