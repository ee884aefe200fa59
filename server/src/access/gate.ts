import { Refusal } from '@florin/wire/errors.ts'
import type { Arrival, Gate } from '../http/gate.ts'
import type { AddressLimit } from './address-limit.ts'
import type { Authenticator } from './authenticate.ts'
import type { KeyHolder } from './key-holder.ts'
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
  function admitHolder(holder: KeyHolder, arrival: Arrival): KeyHolder | Promise<KeyHolder> {
    const limit = holder.requestsPerMinute
    // No number is true of a key without a limit, so its answers have none.
    if (limit === null) return permitted(holder, arrival)
    const taken = windows.take(holder.keyId, limit)
    return taken instanceof Promise
      ? taken.then((answer) => admitTaken(holder, arrival, limit, answer))
      : admitTaken(holder, arrival, limit, taken)
  }

  return {
    admit: (arrival) => {
      const holder = authenticator.authenticate(arrival.authorization, arrival.address)
      return holder instanceof Promise
        ? holder.then((known) => admitHolder(known, arrival))
        : admitHolder(holder, arrival)
    },
    admitAgain: async (arrival) =>
      permitted(await authenticator.authenticate(arrival.authorization, arrival.address), arrival),
    admitStranger: (address) => addresses.count(address),
    admitFileReader: (address) => addresses.countFile(address),
  }
}

function admitTaken(
  holder: KeyHolder,
  arrival: Arrival,
  requestsPerMinute: number,
  taken: Taken,
): KeyHolder {
  arrival.tell(rateHeaders(holder.plan, requestsPerMinute, taken))
  if (!taken.allowed) {
    throw new Refusal('RATE_LIMIT', { retryAfterSeconds: wholeSecondsLeft(taken) })
  }
  return permitted(holder, arrival)
}

function permitted(holder: KeyHolder, { endpoint }: Arrival): KeyHolder {
  permit(holder, endpoint)
  return holder
}
