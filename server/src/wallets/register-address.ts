import { Refusal } from '@florin/wire/errors.ts'
import type { Family } from '@florin/wire/network.ts'
import {
  issuedAtOf,
  REGISTRATION_SECONDS,
  registrationText,
} from '@florin/wire/receiving-address.ts'
import type { Audit } from '../audit/audit.ts'
import type { Actor } from '../audit/entry.ts'
import type { Address } from '../chains/chain.ts'
import { isTextSignedBy } from '../chains/signed-text.ts'
import { insertReceiver, lastReceiver, receiverAccount } from '../custody/receiver-store.ts'
import type { Receiver } from '../custody/receiver-store.ts'
import { fingerprint } from '../idempotency/fingerprint.ts'
import { claimKeys } from '../idempotency/store.ts'
import type { Clock } from '../kernel/clock.ts'
import type { AccountId } from '../kernel/id.ts'
import type { Store } from '../store/postgres.ts'

/** Clocks of two machines may be apart that much. */
const AHEAD_MILLISECONDS = 60_000

/** The operation under which idempotency keys of registrations are kept. */
const OPERATION = 'registerAddress'

export interface RegisterDeps {
  readonly store: Store
  readonly clock: Clock
  readonly audit: Audit
  /** Names this installation in the text that is signed. */
  readonly installation: string
}

export interface RegisterOrder {
  readonly accountId: AccountId
  readonly actor: Actor
  readonly family: Family
  readonly address: Address
  readonly challenge: string
  readonly signature: string
  readonly label: string | null
  readonly idempotencyKey: string | undefined
}

/** The text that the holder of an address signs for an account, and until when that is good. */
export function challengeFor(
  { clock, installation }: Pick<RegisterDeps, 'clock' | 'installation'>,
  accountId: AccountId,
  address: Address,
) {
  const issuedAtMilliseconds = clock.nowMilliseconds()
  const challenge = registrationText({ address, accountId, installation, issuedAtMilliseconds })
  return { challenge, expiresAt: issuedAtMilliseconds + REGISTRATION_SECONDS * 1000 }
}

/**
 * Registers an address for an account by its own signature. Nothing was stored for the text: it says everything itself, and must say what
 * this account would be answered now. Refuses INVALID_PARAMETERS naming the field, also for an address that somebody has already.
 */
export async function registerAddress(
  { store, clock, audit, installation }: RegisterDeps,
  { idempotencyKey, actor, ...order }: RegisterOrder,
): Promise<{ readonly receiver: Receiver; readonly replayed: boolean }> {
  const { accountId, family, address, challenge, signature, label } = order
  const now = clock.nowMilliseconds()
  // Whether another account has the address is not for the eyes of this one alone.
  return store.inTransaction('service', async (tx) => {
    const claims =
      idempotencyKey === undefined
        ? []
        : [
            {
              accountId,
              operation: OPERATION,
              key: idempotencyKey,
              fingerprint: fingerprint({ address, challenge, signature, label }),
              resourceId: address,
            },
          ]
    const [claim = { kind: 'new' } as const] = await claimKeys(tx, claims, now)
    if (claim.kind === 'mismatch') throw new Refusal('IDEMPOTENCY_MISMATCH')
    if (claim.kind === 'replay') {
      const receiver = await lastReceiver(tx, accountId, claim.resourceId)
      if (receiver === undefined) throw new Error('an idempotency key names no address')
      return { receiver, replayed: true }
    }
    const issuedAtMilliseconds = issuedAtOf(challenge)
    const text =
      issuedAtMilliseconds === undefined
        ? undefined
        : registrationText({ address, accountId, installation, issuedAtMilliseconds })
    if (issuedAtMilliseconds === undefined || challenge !== text) {
      throw invalid('challenge', 'must be the text that your account was answered for this address')
    }
    const age = now - issuedAtMilliseconds
    if (age < -AHEAD_MILLISECONDS || age > REGISTRATION_SECONDS * 1000) {
      throw invalid('challenge', `must be at most ${REGISTRATION_SECONDS} seconds old: ask again`)
    }
    if (!isTextSignedBy(family, address, challenge, signature)) {
      throw invalid('signature', 'must be the signature of the address over the challenge')
    }
    const owner = await receiverAccount(tx, family, address)
    if (owner !== undefined && owner !== accountId) {
      throw invalid('address', 'is registered for another account, which must give it up first')
    }
    const wanted = { accountId, family, address, label, registeredAtMilliseconds: now }
    const { receiver, isNew } = await insertReceiver(tx, wanted)
    if (receiver.accountId !== accountId) {
      throw invalid('address', 'is registered for another account, which must give it up first')
    }
    // Whoever registers again what the account has already changes nothing.
    if (isNew) {
      const [action, details] = ['address.registered', { family, label }]
      await audit.note(tx, { accountId, actor, action, object: address, details })
    }
    return { receiver, replayed: false }
  })
}

function invalid(field: string, rule: string): Refusal {
  return new Refusal('INVALID_PARAMETERS', { details: { [field]: rule } })
}
