import type { Clock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import type { Random } from '../kernel/random.ts'
import type { Tx } from '../store/postgres.ts'
import type { AuditFact } from './entry.ts'
import { insertAudit } from './store.ts'

/** Where every change is written down. */
export interface Audit {
  /** Writes it in the transaction that makes it true, whose scope must be the fact's account or `service`. */
  note(tx: Tx, fact: AuditFact): Promise<void>
}

export function openAudit({
  clock,
  random,
}: {
  readonly clock: Clock
  readonly random: Random
}): Audit {
  return {
    note: (tx, fact) => insertAudit(tx, fact, newId(random, 'aud'), clock.nowMilliseconds()),
  }
}
