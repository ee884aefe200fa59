import type { Tx } from '../store/postgres.ts'

/** The rows of events that nobody has numbered yet. */
export interface OutboxFigures {
  /** At most so many: ids that a rolled back transaction took are counted as well. */
  readonly waiting: number
  readonly oldestAtMilliseconds: number | null
}

/** Reads both ends of the outbox, not what lies between: the same cost however much waits. */
export async function outboxFigures(tx: Tx): Promise<OutboxFigures> {
  const rows = await tx.query<{ waiting: string; oldest: Date | null }>(
    'figures_outbox',
    `select coalesce((select max(id) from outbox) - min(id) + 1, 0) as waiting, min(created_at) as oldest
     from (select id, created_at from outbox order by id limit 1) first`,
  )
  const row = rows[0]
  return {
    waiting: Number(row?.waiting ?? 0),
    oldestAtMilliseconds: row?.oldest?.getTime() ?? null,
  }
}
