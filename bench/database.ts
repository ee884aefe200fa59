import pg from 'pg'
import { until } from '@florin/server/kernel/until.ts'

const ENDS_SECONDS = 300

/** The database of an installation, as a bench looks at it. */
export interface BenchDatabase {
  /** Transactions that were committed so far; PostgreSQL tells up to a second late. */
  transactions(): Promise<number>
  /** Waits until nothing is pending and gives how many payments of these senders stand where. */
  whenConfirmed(senders: readonly string[]): Promise<ReadonlyMap<string, number>>
  close(): Promise<void>
}

export async function openDatabase(url: string): Promise<BenchDatabase> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return {
    transactions: async () => {
      await client.query('select pg_stat_force_next_flush()')
      const { rows } = await client.query<{ count: string }>(
        'select xact_commit as count from pg_stat_database where datname = current_database()',
      )
      return Number(rows[0]?.count)
    },
    whenConfirmed: async (senders) =>
      until(
        'every payment is confirmed',
        async () => {
          const { rows } = await client.query<{ status: string; count: string }>(
            `select status, count(*) from payments
             where type = 'sent' and sender = any($1) group by status`,
            [senders],
          )
          const counts = new Map(rows.map(({ status, count }) => [status, Number(count)]))
          return counts.has('pending') ? undefined : counts
        },
        { seconds: ENDS_SECONDS },
      ),
    close: () => client.end(),
  }
}
