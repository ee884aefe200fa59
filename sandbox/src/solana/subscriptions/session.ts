import type { Json } from '../../host/json.ts'
import { isJsonObject, parseJson } from '../../host/json.ts'
import type { AnswerParts, RpcCall } from '../rpc/answer.ts'
import { answerBody, errorOf, readCall, resultOf } from '../rpc/answer.ts'
import { RPC_CODE, RpcFailure } from '../rpc/rpc-failure.ts'
import type { RpcValue } from '../rpc-json.ts'
import { rpcText } from '../rpc-json.ts'
import type { Hub } from './hub.ts'
import { WATCHES } from './watches.ts'

const SUBSCRIPTIONS_MAX = 1_000
const CALLS_UNDER_WAY_MAX = 1_000
/**
 * A client hands its listener over only after it has handled the reply. A notification in the same packet is lost on it:
 * kit then waited 60 s for the signature it had just been told about.
 */
const AFTER_REPLY_MILLISECONDS = 25

/** One WebSocket's conversation. */
export interface Session {
  received(message: Buffer): void
  close(): void
}

let lastId = 0

export function openSession(
  parts: AnswerParts,
  hub: Hub,
  socket: { send(text: string): void; end(): void },
): Session {
  const open = new Map<number, () => void>()
  let underWay = 0
  let isClosed = false

  const subscribe = ({ id, method, params }: RpcCall): RpcValue => {
    const openWatch = WATCHES[method]
    if (openWatch === undefined || open.size >= SUBSCRIPTIONS_MAX) {
      throw new RpcFailure(RPC_CODE.invalidRequest, `at most ${SUBSCRIPTIONS_MAX} subscriptions`)
    }
    const watch = openWatch(parts.context, params)
    lastId += 1
    const subscription = lastId
    let backlog: RpcValue[] | undefined = []
    const send = (result: RpcValue): void => {
      if (isClosed) return
      const { name } = watch
      socket.send(rpcText({ jsonrpc: '2.0', method: name, params: { result, subscription } }))
    }
    const tell = (value: RpcValue): void => {
      if (backlog === undefined) send(value)
      else backlog.push(value)
    }
    const end = hub.add(watch, tell, () => void open.delete(subscription))
    open.set(subscription, end)
    setTimeout(() => {
      const waiting = backlog ?? []
      backlog = undefined
      for (const value of waiting) send(value)
    }, AFTER_REPLY_MILLISECONDS)
    return resultOf(id, subscription)
  }

  const unsubscribe = ({ id, params }: RpcCall): RpcValue => {
    const subscription = Number(params[0])
    const end = open.get(subscription)
    if (end === undefined) {
      return errorOf(id, { code: RPC_CODE.invalidParams, message: 'Invalid subscription id.' })
    }
    end()
    open.delete(subscription)
    return resultOf(id, true)
  }

  const answer = async (message: Buffer): Promise<void> => {
    const parsed = parseJson(message.toString('utf8'))
    const call = parsed === undefined ? undefined : readCall(parsed)
    // Without an id nobody waits for an answer; clients send such a "ping" to keep the line open.
    if (call !== undefined && !hasId(parsed)) return
    if (call !== undefined && call.method in WATCHES) {
      return socket.send(rpcText(attempt(call, subscribe)))
    }
    if (call?.method.endsWith('Unsubscribe') === true)
      return socket.send(rpcText(unsubscribe(call)))
    const body = await answerBody(parts, message)
    if (body.kind === 'text') socket.send(body.text)
    else if (body.kind !== 'hang') socket.end()
  }

  return {
    received(message) {
      if (underWay >= CALLS_UNDER_WAY_MAX) return socket.end()
      underWay += 1
      answer(message)
        .catch((error: unknown) => {
          parts.log(
            `a WebSocket call failed: ${error instanceof Error ? error.message : 'unknown'}`,
          )
          socket.end()
        })
        .finally(() => {
          underWay -= 1
        })
    },
    close() {
      isClosed = true
      for (const end of open.values()) end()
      open.clear()
    },
  }
}

function attempt(call: RpcCall, work: (call: RpcCall) => RpcValue): RpcValue {
  try {
    return work(call)
  } catch (error) {
    if (error instanceof RpcFailure) return errorOf(call.id, error)
    throw error
  }
}

function hasId(message: Json | undefined): boolean {
  return isJsonObject(message) && message['id'] !== undefined
}
