import { pino } from 'pino'
import type { DestinationStream, Logger } from 'pino'
import { logRecord } from './log-fields.ts'
import type { LogFacts } from './log-fields.ts'
import { logText } from './log-text.ts'

/**
 * Structured logging. Facts are the named fields of log-fields.ts and nothing else, so that a secret has no field it could be in;
 * of an error its kind, its frames and a message without values go on.
 */
export interface Log {
  debug(facts: LogFacts, message: string): void
  info(facts: LogFacts, message: string): void
  warn(facts: LogFacts, message: string): void
  error(facts: LogFacts, message: string): void
  child(facts: LogFacts): Log
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** One JSON line per event, to standard error unless told otherwise. */
export function openLog(level: LogLevel, destination: DestinationStream = process.stderr): Log {
  const lines = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.epochTime,
      // Ours has done its work by then.
      serializers: { err: (record: unknown) => record },
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  )
  return logOver(lines, {})
}

function logOver(lines: Logger, bound: LogFacts): Log {
  const at = (level: 'debug' | 'info' | 'warn' | 'error') => (facts: LogFacts, message: string) => {
    if (lines.isLevelEnabled(level))
      lines[level](logRecord({ ...bound, ...facts }), logText(message))
  }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (facts) => logOver(lines, { ...bound, ...facts }),
  }
}
