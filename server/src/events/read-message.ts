import Type from 'typebox'
import type { Static } from 'typebox'
import { Refusal } from '@florin/wire/errors.ts'
import { clientMessages } from '@florin/wire/events.ts'
import { bodyRules } from '../http/rules.ts'
import type { Checked } from '../http/rules.ts'
import { JsonProblem, readStrictJson } from '../http/strict-json.ts'

export type Message = Static<(typeof clientMessages)[keyof typeof clientMessages]>

/** Makes the reader of client messages: strict JSON, exactly the fields of its method. What it throws is told to the client. */
export function openMessageReader(): (text: string) => Message {
  const rules = bodyRules()
  const methods = rules(
    Type.Object({
      method: Type.Enum(['authenticate', 'subscribe', 'unsubscribe', 'ping'] as const),
    }),
  )
  const { authenticate, subscribe, unsubscribe, ping } = clientMessages
  const checks = {
    authenticate: rules(authenticate),
    subscribe: rules(subscribe),
    unsubscribe: rules(unsubscribe),
    ping: rules(ping),
  }
  return (text) => {
    const value = parse(text)
    const { method } = demand(methods(value, 'message'))
    return demand<Message>(checks[method](value, 'message'))
  }
}

function demand<T>(checked: Checked<T>): T {
  if (!checked.ok) throw new Refusal('INVALID_PARAMETERS', { details: checked.faults })
  return checked.value
}

function parse(text: string): unknown {
  try {
    return readStrictJson(Buffer.from(text)).value
  } catch (error) {
    if (error instanceof JsonProblem) {
      // What is a body elsewhere.
      const field = error.field === 'body' ? 'message' : error.field
      throw new Refusal('INVALID_PARAMETERS', { details: { [field]: error.rule } })
    }
    throw error
  }
}
