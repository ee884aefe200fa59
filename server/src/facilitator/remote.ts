import { fieldsOf, textOf } from '@florin/wire/x402/fields.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { REASONS } from '@florin/wire/x402/reasons.ts'
import type { Reason } from '@florin/wire/x402/reasons.ts'
import { limits } from '../kernel/limits.ts'
import type { Secret } from '../kernel/secret.ts'
import type { Outbound } from '../outbound/outbound.ts'

/** Another facilitator that the operator allows. */
export interface RemoteFacilitator {
  /** As its clients are given it, without a slash at the end: `/verify` and `/settle` follow. */
  readonly url: string
  /** What it knows this service by: a bearer token. */
  readonly key: Secret | null
}

/** A payment in the shape in which x402 hands it over. Source: x402 v1 and v2, POST /verify and POST /settle. */
export interface RemoteBody {
  readonly x402Version: number
  readonly paymentPayload: Fields
  readonly paymentRequirements: Fields
}

/** What another facilitator says. None of it is proof: only the chain is. */
export type RemoteWord =
  | { readonly kind: 'yes'; readonly transaction: string | null }
  | { readonly kind: 'no'; readonly reason: Reason }
  /** It is at it, it did not answer, or not in words that can be read. */
  | { readonly kind: 'unknown'; readonly transaction: string | null }
  /** It was not reached, and has certainly not heard of it. */
  | { readonly kind: 'unheard' }

export interface RemoteClient {
  readonly url: string
  verify(body: RemoteBody): Promise<RemoteWord>
  settle(body: RemoteBody): Promise<RemoteWord>
}

const NOTHING = { kind: 'unknown', transaction: null } as const
/** A hash or a signature in any of their spellings; what else it writes is not repeated. */
const TRANSACTION = /^[0-9A-Za-z]{32,128}$/

/** Speaks with one other facilitator. The caller's own key and headers never go there. */
export function openRemoteClient(
  outbound: Outbound,
  { url, key }: RemoteFacilitator,
  stopping: AbortSignal,
): RemoteClient {
  async function ask(
    path: string,
    body: RemoteBody,
    { seconds, read: wordOf }: { readonly seconds: number; read(answer: Answer): RemoteWord },
  ): Promise<RemoteWord> {
    const outcome = await outbound.request({
      url: `${url}/${path}`,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(key === null ? {} : { authorization: `Bearer ${key.reveal()}` }),
      },
      body: Buffer.from(JSON.stringify(body)),
      timeoutMilliseconds: seconds * 1000,
      bodyBytesMax: limits.remoteAnswerBytesMax,
      signal: stopping,
    })
    if (outcome.kind === 'answered') return wordOf(outcome)
    return outcome.kind === 'failed' && outcome.mayHaveArrived ? NOTHING : { kind: 'unheard' }
  }

  return {
    url,
    verify: (body) =>
      ask('verify', body, { seconds: limits.remoteVerifySeconds, read: verifyWord }),
    settle: (body) =>
      ask('settle', body, { seconds: limits.remoteSettleSeconds, read: settleWord }),
  }
}

interface Answer {
  readonly status: number
  readonly body: Uint8Array
}

function verifyWord(answer: Answer): RemoteWord {
  const said = read(answer)
  if (said === undefined) return NOTHING
  if (said['isValid'] === true && answer.status === 200) return { kind: 'yes', transaction: null }
  if (said['isValid'] !== false) return NOTHING
  return { kind: 'no', reason: reasonOf(said['invalidReason'], 'unexpected_verify_error') }
}

function settleWord(answer: Answer): RemoteWord {
  const said = read(answer)
  if (said === undefined) return NOTHING
  const named = textOf(said['transaction'])
  const transaction = named !== undefined && TRANSACTION.test(named) ? named : null
  if (said['success'] === true && answer.status === 200) return { kind: 'yes', transaction }
  if (said['success'] !== false) return NOTHING
  const reason = reasonOf(said['errorReason'], 'unexpected_settle_error')
  return BEFORE_SENDING.has(reason) ? { kind: 'no', reason } : { kind: 'unknown', transaction }
}

/**
 * What a facilitator finds before it sends anything. Any other "no" leaves open what became of the money: a wait that ran out is told as a
 * failed transaction by some, and the transaction lands afterwards.
 */
const BEFORE_SENDING: ReadonlySet<Reason> = new Set([
  'invalid_payload',
  'invalid_payment_requirements',
  'invalid_x402_version',
  'invalid_scheme',
  'unsupported_scheme',
  'invalid_network',
  'asset_not_deployed_contract',
  'unsupported_payload_type',
  'invalid_exact_evm_scheme',
  'invalid_exact_evm_network_mismatch',
  'invalid_exact_evm_missing_eip712_domain',
  'invalid_exact_evm_recipient_mismatch',
  'invalid_exact_evm_signature',
  'invalid_exact_evm_payload_authorization_valid_before',
  'invalid_exact_evm_payload_authorization_valid_after',
  'invalid_exact_evm_payload_authorization_value_mismatch',
  'invalid_exact_evm_authorization_value',
  'invalid_exact_evm_insufficient_balance',
  'invalid_exact_evm_token_name_mismatch',
  'invalid_exact_evm_token_version_mismatch',
  'invalid_exact_evm_eip3009_not_supported',
  'invalid_permit2_spender',
  'invalid_permit2_recipient_mismatch',
  'invalid_permit2_signature',
  'permit2_deadline_expired',
  'permit2_not_yet_valid',
  'permit2_amount_mismatch',
  'permit2_token_mismatch',
  'permit2_allowance_required',
  'permit2_insufficient_balance',
  'permit2_proxy_not_deployed',
  'asset_not_listed',
  'payment_too_small_for_its_gas',
  'gas_budget_spent',
  'network_unavailable',
  'receiver_of_another_account',
])

/** Some facilitators say "no" with a status of their own. A server that is broken says nothing, whatever it writes. */
function read({ status, body }: Answer): Fields | undefined {
  if (status !== 200 && !(status >= 400 && status < 500)) return undefined
  try {
    return fieldsOf(JSON.parse(Buffer.from(body).toString('utf8')))
  } catch {
    return undefined
  }
}

function reasonOf(value: unknown, otherwise: Reason): Reason {
  return REASONS.find((reason) => reason === value) ?? otherwise
}
