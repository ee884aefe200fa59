import { isObject } from '../is-object.ts'
import type { Place } from './demand.ts'
import type { PaywallSettings } from './price.ts'
import type { Requirement } from './requirement.ts'

type Extensions = Readonly<Record<string, unknown>>

const IDENTIFIER = 'payment-identifier'
const DRAFT = 'https://json-schema.org/draft/2020-12/schema'
const ID_CHARACTERS = { minLength: 16, maxLength: 128 }
const ID = /^[a-zA-Z0-9_-]{16,128}$/
export const PERMITS = 'eip2612GasSponsoring'
export const APPROVALS = 'erc20ApprovalGasSponsoring'
/** What a buyer itself has to say beside its payment. All else of an offer is the seller's to say. */
const BUYERS = [IDENTIFIER, PERMITS, APPROVALS]

/** Says that a buyer may sign its approval of Permit2 beside the payment. Source: x402 v2, eip2612GasSponsoring. */
const PERMITS_OFFER = {
  [PERMITS]: {
    info: { description: 'Approvals of Permit2 by EIP-2612 are submitted for you.', version: '1' },
    schema: {
      $schema: DRAFT,
      type: 'object',
      required: ['from', 'asset', 'spender', 'amount', 'nonce', 'deadline', 'signature', 'version'],
    },
  },
} as const

/** The same for a token that knows no permits: the signed transaction itself. Source: x402 v2, erc20ApprovalGasSponsoring. */
const APPROVALS_OFFER = {
  [APPROVALS]: {
    info: {
      description: 'A signed approval of Permit2 is submitted for you, and its gas given.',
      version: '1',
    },
    schema: {
      $schema: DRAFT,
      type: 'object',
      required: ['from', 'asset', 'spender', 'amount', 'signedTransaction', 'version'],
    },
  },
} as const

/** The extensions of x402 that a demand declares. Source: x402 v2, payment-identifier, eip2612GasSponsoring and erc20ApprovalGasSponsoring. */
export function declared(place: Place, requirements: readonly Requirement[]): Extensions {
  const { paymentIdentifier } = place.settings
  const id = { type: 'string', ...ID_CHARACTERS, pattern: ID.source.replace('{16,128}', '+') }
  return {
    [IDENTIFIER]: {
      info: { required: paymentIdentifier === 'required' },
      schema: {
        $schema: DRAFT,
        type: 'object',
        properties: { required: { type: 'boolean' }, id },
        required: ['required'],
      },
    },
    ...(requirements.some((each) => each.takesPermits) ? PERMITS_OFFER : {}),
    ...(requirements.some((each) => each.takesApprovals) ? APPROVALS_OFFER : {}),
    ...ownOf(place),
  }
}

/** What is handed over with a payment: the seller's own declarations, and of the buyer's what a payment needs. */
export function handedOver(payload: Extensions, place: Place): Extensions {
  return { ...ownOf(place), ...buyersOf(payload) }
}

/** Whether a signed approval of Permit2 came with a payment, as a transaction that has to be in a block first. */
export function bringsApproval(payload: Extensions): boolean {
  return buyersOf(payload)[APPROVALS] !== undefined
}

/** What a buyer says in extensions that are its own to say. The rest repeats the offer, and goes no further. */
export function buyersOf(payload: Extensions): Extensions {
  const shown = isObject(payload['extensions']) ? payload['extensions'] : {}
  return Object.fromEntries(Object.entries(shown).filter(([name]) => BUYERS.includes(name)))
}

/** What the seller declares; how the place is asked is known with the request. Source: x402 2.27, bazaar: server. */
function ownOf({ method, settings: { extensions = {} } }: Place): Extensions {
  const { bazaar } = extensions
  const info = isObject(bazaar) ? bazaar['info'] : undefined
  const input = isObject(info) ? info['input'] : undefined
  if (!isObject(bazaar) || !isObject(info) || !isObject(input)) return extensions
  if (input['type'] !== 'http' || input['method'] !== undefined) return extensions
  return { ...extensions, bazaar: { ...bazaar, info: { ...info, input: { ...input, method } } } }
}

/** What is wrong with the name that a buyer gave its payment, or with there being none; undefined when it will do. */
export function identifierProblem(
  payload: Extensions,
  { paymentIdentifier }: PaywallSettings,
): string | undefined {
  const extension = isObject(payload['extensions']) ? payload['extensions'][IDENTIFIER] : undefined
  const info = isObject(extension) ? extension['info'] : undefined
  const id = isObject(info) ? info['id'] : undefined
  if (id === undefined || id === null) {
    return paymentIdentifier === 'required' ? 'a payment identifier is required' : undefined
  }
  return typeof id === 'string' && ID.test(id) ? undefined : 'the payment identifier is none'
}
