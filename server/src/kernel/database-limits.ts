/** Bounds of asking the database: a part of the table of limits. */
export const databaseLimits = {
  /** Of one instance, for what callers ask. */
  databaseConnectionsMax: 12,
  /** Beside those, for what goes on whoever asks: following chains, numbering events, health and metrics. */
  databaseOwnConnectionsMax: 6,
  databaseStatementSeconds: 10,
  /** Of one look of `florin doctor`: it goes through all that is kept, 15 µs for each event of 30 days. */
  doctorStatementSeconds: 600,
  databaseLockSeconds: 5,
  /** A transaction that says nothing for so long is given up, and with it the rows that it holds: before those who wait for them give up. */
  databaseIdleSeconds: 4,
} as const
