import { RelayLost } from '../events/relay-store.ts'
import type { Relay } from '../events/relay.ts'
import { addToOutbox } from '../events/store.ts'
import type { OutboxEvent } from '../events/facts.ts'
import type { Clock } from '../kernel/clock.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import { StoreUnavailable } from '../store/postgres.ts'
import type { Store } from '../store/postgres.ts'
import type { Verified } from './verify.ts'

/** Tells accounts of their verifications, many with one write, so that a verification costs no round trip to the database. */
export interface VerificationEvents {
  note(accountId: AccountId, verified: Verified): void
  /** Writes what waits. */
  stop(): Promise<void>
}

/**
 * A verification is a statement that binds nobody, so its event may be lost: with a process that is killed within
 * limits.verificationEventsMilliseconds, and beyond limits.verificationEventsMax in that time.
 */
export function openVerificationEvents({
  store,
  relay,
  clock,
  log,
}: {
  readonly store: Store
  readonly relay: Pick<Relay, 'number'>
  readonly clock: Clock
  readonly log: Log
}): VerificationEvents {
  let waiting: OutboxEvent[] = []
  let lost = 0
  let writing: Promise<void> | undefined
  const stopping = new AbortController()

  async function write(): Promise<void> {
    await clock.sleep(limits.verificationEventsMilliseconds, stopping.signal)
    const [events, missed] = [waiting, lost]
    waiting = []
    lost = 0
    if (missed > 0) log.warn({ count: missed }, 'more verifications than are told of')
    await tell(events).catch((error: unknown) => {
      log.warn({ count: events.length, reason: error }, 'verifications were not told of')
    })
  }

  /** Numbered at once where this instance numbers, else by way of the outbox. */
  async function tell(events: readonly OutboxEvent[]): Promise<void> {
    const numbered = relay.number(events)
    if (numbered !== undefined) {
      try {
        await numbered
        return
      } catch (error) {
        // Nothing was committed.
        if (!(error instanceof RelayLost || error instanceof StoreUnavailable)) throw error
      }
    }
    await store.inTransaction('service', (tx) => addToOutbox(tx, events, clock.nowMilliseconds()))
  }

  const begin = () => {
    writing ??= write().finally(() => {
      writing = undefined
      if (waiting.length > 0) begin()
    })
  }

  return {
    note: (accountId, verified) => {
      if (waiting.length >= limits.verificationEventsMax) lost += 1
      else waiting.push(eventOf(accountId, verified))
      begin()
    },
    stop: async () => {
      stopping.abort()
      while (writing !== undefined) await writing
    },
  }
}

/** More than any CAIP-2 id has (41), and any name of version 1. */
const NETWORK_CHARACTERS_MAX = 64

function eventOf(accountId: AccountId, verified: Verified): OutboxEvent {
  if (!verified.ok) {
    const { reason, payer } = verified
    // In the caller's own words where it is no network of ours: up to a body long, and each webhook of the account would get all of it.
    const network = verified.networkName.slice(0, NETWORK_CHARACTERS_MAX).toWellFormed()
    return {
      accountId,
      type: 'verification',
      resourceId: payer ?? '',
      data: { valid: false, reason, network, payer },
    }
  }
  const { chain, authorization, requirements, resource } = verified.intake
  return {
    accountId,
    type: 'verification',
    resourceId: authorization.payer,
    data: {
      valid: true,
      network: chain.config.network,
      asset: requirements.asset,
      amountBaseUnits: authorization.amount.toString(),
      payer: authorization.payer,
      payTo: authorization.payTo,
      resource,
      ...(chain.config.sandbox ? { sandbox: true } : {}),
    },
  }
}
