import { LOG_LEVELS } from '@florin/server/kernel/log.ts'
import type { LogLevel } from '@florin/server/kernel/log.ts'
import type { Environment } from '@florin/server/data-directory.ts'

/** FLORIN_LOG_LEVEL, and more than `up` says when it is not set: nobody watches a production instance's terminal. */
export function logLevelOf(environment: Environment): LogLevel {
  const said = environment['FLORIN_LOG_LEVEL']?.trim()
  return LOG_LEVELS.find((level) => level === said) ?? 'info'
}
