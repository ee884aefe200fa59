import type { KeyWrapper } from '../custody/key-wrapper.ts'
import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import type { SecretBytes } from '../kernel/secret.ts'
import type { Outbound, OutboundOutcome } from '../outbound/outbound.ts'
import type { Attempt, TakenDelivery } from './delivery.ts'
import { openSecret } from './secret.ts'
import { SIGNATURE_HEADER, signatureOf } from './signature.ts'

/** What came of one request. `nothing`: it says nothing about the endpoint, and does not count. */
export interface Sent {
  readonly verdict: 'taken' | 'refused' | 'gone' | 'nothing'
  readonly attempt: Attempt
}

export interface SendDeps {
  readonly outbound: Outbound
  readonly wrapper: KeyWrapper
  readonly clock: Clock
}

const GONE = 410

/** Sends a delivery once, signed by every live secret. Only 2xx is success; a redirect is none and is not followed. */
export async function sendDelivery(
  { outbound, wrapper, clock }: SendDeps,
  delivery: TakenDelivery,
  signal: AbortSignal,
): Promise<Sent> {
  const body = new TextEncoder().encode(delivery.body)
  const at = clock.nowMilliseconds()
  const outcome = await outbound.request({
    url: delivery.url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Florin-Webhooks/1',
      [SIGNATURE_HEADER]: await sign(wrapper, delivery, Math.floor(at / 1000), body),
      'florin-event': delivery.eventId,
      'florin-delivery': delivery.id,
    },
    body,
    timeoutMilliseconds: limits.webhookAnswerSeconds * 1000,
    bodyBytesMax: limits.webhookAnswerBytesMax,
    signal,
  })
  const milliseconds = Math.max(0, clock.nowMilliseconds() - at)
  const isAnswer = outcome.kind === 'answered'
  return {
    verdict: verdictOf(outcome),
    attempt: {
      at,
      url: delivery.url,
      status: isAnswer ? outcome.status : null,
      error: isAnswer ? null : outcome.reason,
      milliseconds,
      answer: isAnswer ? headOf(outcome.body) : '',
    },
  }
}

function verdictOf(outcome: OutboundOutcome): Sent['verdict'] {
  switch (outcome.kind) {
    case 'answered':
      if (outcome.status === GONE) return 'gone'
      return outcome.status >= 200 && outcome.status < 300 ? 'taken' : 'refused'
    case 'refused':
      return 'refused'
    case 'failed':
      return outcome.reason === 'busy' || outcome.reason === 'given_up' ? 'nothing' : 'refused'
    default:
      return outcome satisfies never
  }
}

async function sign(
  wrapper: KeyWrapper,
  { webhookId, accountId, sealedSecret, sealedPrevious }: TakenDelivery,
  unixSeconds: number,
  body: Uint8Array,
): Promise<string> {
  const secrets: SecretBytes[] = []
  try {
    for (const sealed of [sealedSecret, sealedPrevious]) {
      if (sealed !== null) secrets.push(await openSecret(wrapper, { webhookId, accountId }, sealed))
    }
    return signatureOf(secrets, unixSeconds, body)
  } finally {
    for (const secret of secrets) secret.erase()
  }
}

/** The beginning of an answer as text that every reader takes: what is not text, or would move a cursor, is a question mark. */
function headOf(body: Uint8Array): string {
  const kept = limits.webhookAnswerCharactersKept
  const text = new TextDecoder().decode(body.subarray(0, kept * UTF8_BYTES_MAX))
  return text
    .replaceAll(/[\p{Cc}\p{Cs}]/gu, (character) => (/[\t\n]/.test(character) ? character : '?'))
    .slice(0, kept)
    .toWellFormed()
}

const UTF8_BYTES_MAX = 4
