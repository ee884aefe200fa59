import { Refusal } from '@florin/wire/errors.ts'
import { readTarget } from '../outbound/target.ts'
import type { TargetProblem } from '../outbound/target.ts'

const PORT = 443

const RULES = {
  not_a_url: 'must be an absolute address',
  scheme_not_allowed: 'must begin with https://',
  credentials_in_url: 'must not have a user or password',
  port_not_allowed: `must be on port ${PORT}`,
} as const satisfies Record<TargetProblem, string>

/**
 * Refuses INVALID_PARAMETERS for an address that would never be called. Where its name leads is looked at when it is called, each
 * time: what a name server says now is no promise.
 */
export function checkUrl(url: string, sandbox: boolean): void {
  const read = readTarget(url, { allowHttp: sandbox, ports: sandbox ? 'any' : [PORT] })
  if (!read.ok) throw new Refusal('INVALID_PARAMETERS', { details: { url: RULES[read.reason] } })
}
