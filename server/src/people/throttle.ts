import { createHash } from 'node:crypto'
import { Refusal } from '@florin/wire/errors.ts'
import { addressGroup } from '../access/address-group.ts'
import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import type { Store } from '../store/postgres.ts'
import { countAttempt, takeAttemptBack } from './throttle-store.ts'

/** What may be tried, over all instances. */
export interface Throttle {
  /**
   * Counts an attempt to sign in before it is looked at, by its address and, for a password, by the email address. Gives the way to
   * take it back: it was good. @throws {Refusal} RATE_LIMIT
   */
  count(attempt: {
    readonly address: string
    readonly email?: string
  }): Promise<() => Promise<void>>
  /** Counts somebody who asks for options of a passkey. @throws {Refusal} RATE_LIMIT */
  countOptions(address: string): Promise<void>
}

export function openThrottle({
  store,
  clock,
}: {
  readonly store: Pick<Store, 'inTransaction'>
  readonly clock: Clock
}): Throttle {
  async function count(name: string, max: number): Promise<Uint8Array> {
    const subject = createHash('sha256').update(name).digest()
    const nowMilliseconds = clock.nowMilliseconds()
    const window = {
      nowMilliseconds,
      untilMilliseconds: nowMilliseconds + limits.signInWindowSeconds * 1000,
    }
    const { attempts, untilMilliseconds } = await store.inTransaction('service', (tx) =>
      countAttempt(tx, subject, window),
    )
    if (attempts > max) {
      throw new Refusal('RATE_LIMIT', {
        message: 'Too many attempts to sign in.',
        retryAfterSeconds: Math.max(1, Math.ceil((untilMilliseconds - nowMilliseconds) / 1000)),
      })
    }
    return subject
  }

  return {
    count: async ({ address, email }) => {
      const subjects = [await count(`from ${addressGroup(address)}`, limits.signInsPerAddress)]
      if (email !== undefined) {
        subjects.push(await count(`about ${email}`, limits.signInsPerEmail))
      }
      return async () => {
        await store.inTransaction('service', async (tx) => {
          for (const subject of subjects) await takeAttemptBack(tx, subject)
        })
      }
    },
    countOptions: async (address) => {
      await count(`options ${addressGroup(address)}`, limits.passkeyOptionsPerAddress)
    },
  }
}
