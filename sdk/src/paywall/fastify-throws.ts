import { isObject } from '../is-object.ts'

/** Where Fastify says that a handler threw or rejected, with its `reply` and the `error`. Source: Fastify, Diagnostics Channel Support. */
const CHANNEL = 'tracing:fastify.request.handler:error'

const watched = new WeakMap<object, (error: unknown) => void>()
let isListening = false

/**
 * Tells when the handler behind this reply throws or rejects. Of one that has taken the reply for itself Fastify only writes a line to its log, and its
 * buyer would wait for ever. Asks for nothing where the platform has no such channels: there it stays so.
 */
export function onFastifyThrow(reply: object, told: (error: unknown) => void): void {
  watched.set(reply, told)
  if (isListening) return
  isListening = true
  listen()
}

function listen(): void {
  // Not imported: the client stands in browsers as well.
  const process: unknown = Reflect.get(globalThis, 'process')
  if (!isObject(process)) return
  const { getBuiltinModule } = process
  if (typeof getBuiltinModule !== 'function') return
  const channels: unknown = Reflect.apply(getBuiltinModule, process, ['node:diagnostics_channel'])
  if (!isObject(channels) || typeof channels['subscribe'] !== 'function') return
  Reflect.apply(channels['subscribe'], channels, [CHANNEL, heard])
}

/** Never throws: what a listener of a channel throws ends the process. */
function heard(message: unknown): void {
  if (!isObject(message)) return
  const { reply, error } = message
  if (typeof reply !== 'object' || reply === null) return
  watched.get(reply)?.(error)
}
