import { Refusal } from '@florin/wire/errors.ts'

const HALTED_RETRY_SECONDS = 60

/** Why nothing is built for a network now. */
export function unfollowed(standing: 'halted' | 'unfollowed'): Refusal {
  return standing === 'halted'
    ? new Refusal('NETWORK_ERROR', {
        retryAfterSeconds: HALTED_RETRY_SECONDS,
        message: 'This network is stopped until an operator has looked at it.',
      })
    : new Refusal('NETWORK_ERROR', {
        retryAfterSeconds: 1,
        message: 'This network has not been reached yet since it was set up.',
      })
}
