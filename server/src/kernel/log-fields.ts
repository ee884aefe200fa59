import { loggedError, reasonOf } from './log-error.ts'
import { logText } from './log-text.ts'

/**
 * Everything that a log line may hold, by name. `text`: ids, names, hashes and our own words; cleaned and cut. `reason`: an error or
 * a text, as one line. `error`: an error with its frames. A field that is not here does not reach the log, whatever it holds:
 * there is none for a header, a body, a URL, a key or a proof, and none that takes an object.
 */
const FIELDS = {
  // Who and what
  requestId: 'text',
  accountId: 'text',
  keyId: 'text',
  sessionId: 'text',
  memberId: 'text',
  paymentId: 'text',
  walletId: 'text',
  tradeId: 'text',
  orderId: 'text',
  webhookId: 'text',
  eventId: 'text',
  instance: 'text',
  operation: 'text',
  // A request
  method: 'text',
  /** The pattern of the path, never the path. */
  route: 'text',
  status: 'number',
  milliseconds: 'number',
  isGone: 'flag',
  errorCode: 'text',
  // A chain
  network: 'text',
  node: 'text',
  nodes: 'number',
  address: 'text',
  asset: 'text',
  nonce: 'text',
  hash: 'text',
  next: 'text',
  height: 'text',
  from: 'text',
  to: 'text',
  verdict: 'text',
  succeeded: 'flag',
  blocks: 'number',
  secp256k1: 'text',
  // Things going wrong
  reason: 'reason',
  lastReason: 'reason',
  err: 'error',
  down: 'text',
  failures: 'number',
  attempt: 'number',
  count: 'number',
  seconds: 'number',
  // Processes and the database
  child: 'text',
  part: 'text',
  pid: 'number',
  code: 'number',
  signal: 'text',
  deaths: 'number',
  line: 'text',
  serverLog: 'text',
  directory: 'text',
  migration: 'text',
  host: 'text',
  port: 'number',
  version: 'text',
} as const satisfies Readonly<Record<string, Kind>>

type Kind = 'text' | 'number' | 'flag' | 'reason' | 'error'
interface Kinds {
  readonly text: string | null | undefined
  readonly number: number | null | undefined
  readonly flag: boolean | null | undefined
  readonly reason: unknown
  readonly error: unknown
}

/** The facts of a log line. A new field needs its name here: ask first whether it can ever hold a secret. */
export type LogFacts = { readonly [Name in keyof typeof FIELDS]?: Kinds[(typeof FIELDS)[Name]] }

const DROPPED_NAMES_MAX = 5
const isField = (name: string): name is keyof typeof FIELDS => Object.hasOwn(FIELDS, name)

/** The record of a line: known fields of the right kind, nothing else. What was left out is named, without its value. */
export function logRecord(facts: object): Readonly<Record<string, unknown>> {
  const record: Record<string, unknown> = {}
  const dropped: string[] = []
  for (const [name, value] of Object.entries(facts)) {
    if (value === undefined || value === null) continue
    const written = isField(name) ? write(FIELDS[name], value) : undefined
    if (written === undefined) dropped.push(name)
    else record[name] = written
  }
  if (dropped.length > 0) record['dropped'] = logText(dropped.slice(0, DROPPED_NAMES_MAX).join())
  return record
}

/** Undefined when the value is not of the field's kind. */
function write(kind: Kind, value: unknown): unknown {
  switch (kind) {
    case 'text':
      return typeof value === 'string' ? logText(value) : undefined
    case 'number':
      return typeof value === 'number' ? value : undefined
    case 'flag':
      return typeof value === 'boolean' ? value : undefined
    case 'reason':
      return reasonOf(value)
    case 'error':
      return loggedError(value)
    default:
      return kind satisfies never
  }
}
