import { createHmac } from 'node:crypto'
import type { SecretBytes } from '../kernel/secret.ts'

/** The header that says who sent a webhook and when. */
export const SIGNATURE_HEADER = 'florin-signature'

/**
 * Signs what is sent: `t=<Unix seconds>,v1=<hex>` with one v1 per secret that is live, each HMAC-SHA-256 under the secret's text over
 * the time, a dot and the bytes of the body. The time is signed too, so that what was overheard cannot be sent again later.
 */
export function signatureOf(
  secrets: readonly SecretBytes[],
  unixSeconds: number,
  body: Uint8Array,
): string {
  const signed = secrets.map((secret) =>
    createHmac('sha256', secret.reveal()).update(`${unixSeconds}.`).update(body).digest('hex'),
  )
  return [`t=${unixSeconds}`, ...signed.map((hex) => `v1=${hex}`)].join(',')
}
