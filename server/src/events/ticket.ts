import { createHash } from 'node:crypto'
import { Refusal } from '@florin/wire/errors.ts'
import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import type { Random } from '../kernel/random.ts'
import type { Store } from '../store/postgres.ts'
import { insertTicket, takeTicket } from './ticket-store.ts'
import type { TicketHolder } from './ticket-store.ts'

const TICKET = /^tkt_[A-Za-z0-9_-]{43}$/
const RANDOM_BYTES = 32

/** Tickets that open one socket each, for pages in a browser that must not hold a key in an address. */
export interface Tickets {
  give(holder: TicketHolder): Promise<{ readonly ticket: string; readonly expiresAt: number }>
  /** Whose ticket it is; it is used up. @throws {Refusal} UNAUTHORIZED when nobody holds it, or no longer. */
  take(text: string): Promise<TicketHolder>
}

export function openTickets({
  store,
  clock,
  random,
}: {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
}): Tickets {
  return {
    give: async (holder) => {
      const ticket = `tkt_${Buffer.from(random.bytes(RANDOM_BYTES)).toString('base64url')}`
      const expiresAt = clock.nowMilliseconds() + limits.eventTicketSeconds * 1000
      await store.inTransaction(holder.accountId, (tx) =>
        insertTicket(tx, holder, digestOf(ticket), expiresAt),
      )
      return { ticket, expiresAt }
    },
    take: async (text) => {
      const holder = TICKET.test(text)
        ? await takeTicket(store, digestOf(text), clock.nowMilliseconds())
        : undefined
      if (holder === undefined) throw new Refusal('UNAUTHORIZED')
      return holder
    },
  }
}

/** 256 random bits need no slow hash. */
function digestOf(ticket: string): Uint8Array {
  return createHash('sha256').update(ticket).digest()
}
