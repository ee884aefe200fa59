import { limits } from './limits.ts'
import { logText } from './log-text.ts'

/** An error as the log shows it. */
export interface LoggedError {
  readonly type: string
  readonly message: string
  readonly code?: string
  /** Only the frames. */
  readonly stack?: string
  readonly cause?: LoggedError
}

/** PostgreSQL speaks of itself, not of a statement's values: connections, resources, locks, shutdown, authentication. */
const VALUELESS = /^(?:08|25|28|3D|40|53|55|57|58)/
const SQLSTATE = /^[0-9A-Z]{5}$/
const CAUSES_MAX = 3

/**
 * What may be logged of anything thrown. Of a PostgreSQL error neither detail, where nor query goes on, and its message only
 * when it cannot hold a value; of what is no error, only its kind.
 */
export function loggedError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) {
    return { type: typeof error, message: typeof error === 'string' ? logText(error) : '' }
  }
  const code = 'code' in error ? error.code : undefined
  const stack = framesOf(error)
  return {
    type: logText(error.name),
    message: messageOf(error),
    ...(typeof code === 'string' || typeof code === 'number'
      ? { code: logText(String(code)) }
      : {}),
    ...(stack === '' ? {} : { stack }),
    ...(error.cause === undefined || depth >= CAUSES_MAX
      ? {}
      : { cause: loggedError(error.cause, depth + 1) }),
  }
}

/** Why something failed, in one line, with what lay behind it where that is known. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const own = messageOf(error)
  return cause instanceof Error ? logText(`${own}: ${messageOf(cause)}`) : own
}

function messageOf(error: unknown): string {
  if (typeof error === 'string') return logText(error)
  if (!(error instanceof Error)) return typeof error
  // V8 quotes what it could not read.
  if (error instanceof SyntaxError) return 'a text could not be read'
  const sqlState = sqlStateOf(error)
  if (sqlState === undefined || VALUELESS.test(sqlState)) return logText(error.message)
  const names = ['constraint', 'table', 'column', 'routine'].flatMap((name) => {
    const value: unknown = Reflect.get(error, name)
    return typeof value === 'string' ? [`${name} ${value}`] : []
  })
  return logText([`PostgreSQL ${sqlState}`, ...names].join(', '))
}

function sqlStateOf(error: Error): string | undefined {
  const code = 'code' in error ? error.code : undefined
  return typeof code === 'string' && SQLSTATE.test(code) && 'severity' in error ? code : undefined
}

/** A stack begins with the message, and a line of that may look like a frame. */
function framesOf({ stack = '', message }: Error): string {
  const start = stack.indexOf(message)
  const frames = stack
    .slice(start === -1 ? 0 : start + message.length)
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
  return frames
    .slice(0, limits.logStackFramesMax)
    .map((frame) => frame.trim())
    .join('\n')
}
