import { SecretBytes } from '@florin/server/kernel/secret.ts'
import type { Random } from '@florin/server/kernel/random.ts'
import { SIGNATURE_HEADER, signatureOf } from '@florin/server/webhooks/signature.ts'
import type { AccountEvent } from '@florin/sdk'
import { UsageError } from '../usage-error.ts'

const ANSWER_MILLISECONDS = 10_000

/** The way to an address of yours, as webhooks take it. */
export interface Forward {
  /** Made for this run alone: what is sent is signed with it. */
  readonly secret: string
  /** Sends one event once, and says what came of it in a few words. */
  send(event: AccountEvent, signal: AbortSignal): Promise<string>
}

/** Forwards events as the service sends webhooks: the same body, the same signature. Nothing is sent twice: this is for development. */
export function openForward(url: string, random: Random): Forward {
  const target = URL.parse(url)
  if (target === null || !/^https?:$/.test(target.protocol)) {
    throw new UsageError('--forward takes an address such as http://localhost:3000/florin')
  }
  const secret = `whsec_${Buffer.from(random.bytes(32)).toString('base64url')}`
  const key = new SecretBytes(new TextEncoder().encode(secret))
  return {
    secret,
    send: async (event, signal) => {
      const body = new TextEncoder().encode(JSON.stringify(event))
      const startedAt = performance.now()
      try {
        const answer = await fetch(target, {
          method: 'POST',
          redirect: 'manual',
          headers: {
            'content-type': 'application/json',
            [SIGNATURE_HEADER]: signatureOf([key], Math.floor(Date.now() / 1000), body),
            'florin-event': event.id,
          },
          body,
          signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MILLISECONDS)]),
        })
        await answer.body?.cancel()
        return `${answer.status} in ${Math.round(performance.now() - startedAt)} ms`
      } catch {
        return 'no answer'
      }
    },
  }
}
