import { Refusal } from '@florin/wire/errors.ts'
import type { OutboundRefusal } from '../outbound/outbound.ts'

const PORT = 443

const RULES = {
  not_a_url: { url: 'must be an absolute http or https URL' },
  scheme_not_allowed: { url: 'must begin with https://' },
  credentials_in_url: { url: 'must not have a user or password' },
  port_not_allowed: { url: `must be on port ${PORT}` },
  address_not_allowed: {
    url: 'must lead to a public host, and to no door of this service, its database or its nodes',
  },
  header_not_allowed: {
    headers: 'must not have one of the connection, such as Host, or a value over lines',
  },
} as const satisfies Record<OutboundRefusal['reason'], Readonly<Record<string, string>>>

/** INVALID_PARAMETERS for a seller that is never dialled, with the field at fault and the rule that it broke. */
export function notAskable(reason: OutboundRefusal['reason']): Refusal {
  return new Refusal('INVALID_PARAMETERS', { details: RULES[reason] })
}
