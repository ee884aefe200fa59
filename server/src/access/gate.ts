import { Refusal } from '@florin/wire/errors.ts'
import type { Gate } from '../http/gate.ts'
import type { AddressLimit } from './address-limit.ts'
import type { Authenticator } from './authenticate.ts'
import { permit } from './permit.ts'
import { rateHeaders, wholeSecondsLeft } from './rate-headers.ts'
import type { Taken } from './windows.ts'

/**
 * Puts together what the edge asks before it does anything: whose key this is, whether its window has room, and whether it may
 * do this at all. In that order: what a plan or scope refuses counts, too.
 */
export function openGate({
  authenticator,
  addresses,
  windows,
}: {
  readonly authenticator: Pick<Authenticator, 'authenticate'>
  readonly addresses: Pick<AddressLimit, 'count' | 'countFile'>
  readonly windows: { take(name: string, limit: number): Taken | Promise<Taken> }
}): Gate {
  return {
    admit: async ({ authorization, address, endpoint, tell }) => {
      const holder = await authenticator.authenticate(authorization, address)
      const limit = holder.requestsPerMinute
      // No number is true of a key without a limit, so its answers have none.
      if (limit !== null) {
        const taken = await windows.take(holder.keyId, limit)
        tell(rateHeaders(holder.plan, limit, taken))
        if (!taken.allowed) {
          throw new Refusal('RATE_LIMIT', { retryAfterSeconds: wholeSecondsLeft(taken) })
        }
      }
      permit(holder, endpoint)
      return holder
    },
    admitStranger: (address) => addresses.count(address),
    admitFileReader: (address) => addresses.countFile(address),
  }
}
