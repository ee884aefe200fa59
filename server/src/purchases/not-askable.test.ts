import { expect, test } from 'vitest'
import type { OutboundRefusal } from '../outbound/outbound.ts'
import { notAskable } from './not-askable.ts'

test.each<readonly [OutboundRefusal['reason'], string, string]>([
  ['not_a_url', 'url', 'must be an absolute http or https URL'],
  ['scheme_not_allowed', 'url', 'must begin with https://'],
  ['credentials_in_url', 'url', 'must not have a user or password'],
  ['port_not_allowed', 'url', 'must be on port 443'],
  [
    'address_not_allowed',
    'url',
    'must lead to a public host, and to no door of this service, its database or its nodes',
  ],
  [
    'header_not_allowed',
    'headers',
    'must not have one of the connection, such as Host, or a value over lines',
  ],
])('%s: whoever gave it reads which field broke which rule, in plain words', (...row) => {
  const [reason, field, rule] = row
  expect(notAskable(reason)).toMatchObject({
    code: 'INVALID_PARAMETERS',
    details: { [field]: rule },
  })
})
