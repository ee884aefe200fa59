import { pino } from 'pino'
import type { DestinationStream } from 'pino'

/** Structured logging. Facts are named fields; nothing secret is a field, and Secret prints as [secret] anyway. */
export interface Log {
  debug(facts: object, message: string): void
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
  child(facts: object): Log
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** One JSON line per event, to standard error unless told otherwise. */
export function openLog(level: LogLevel, destination: DestinationStream = process.stderr): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.epochTime,
      redact: {
        paths: [
          '*.authorization',
          'authorization',
          '*.apiKey',
          'apiKey',
          '*.privateKey',
          'privateKey',
          '*.secret',
          'secret',
          '*.password',
          'password',
          '*.paymentProof',
          'paymentProof',
        ],
        censor: '[secret]',
      },
    },
    destination,
  )
}
