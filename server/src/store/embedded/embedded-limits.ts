/** Bounds of the embedded PostgreSQL on one screen. Unit last. */
export const embeddedLimits = {
  /** Crash recovery reads at most max_wal_size of log; slow disks get room. */
  readySeconds: 300,
  readyPauseMilliseconds: 20,
  startAttemptsMax: 5,
  startPauseMilliseconds: 500,
  initialiseSeconds: 120,
  probeSeconds: 20,
  /** Fast shutdown (SIGINT) writes a checkpoint; after this it is SIGQUIT, then SIGKILL. */
  fastShutdownSeconds: 20,
  immediateShutdownSeconds: 5,
  killSeconds: 10,
  logBytesMax: 5 * 1024 * 1024,
  logCheckSeconds: 60,
  logTailBytes: 2_048,
  connectionsMax: 60,
  /** The same of a server that only tests use, where many services share one: four under load take 60 by themselves. */
  testConnectionsMax: 200,
} as const

/** Fast, immediate, by force: what is sent, and how long each is given. */
export const SHUTDOWN_STEPS = [
  { name: 'SIGINT', seconds: embeddedLimits.fastShutdownSeconds },
  { name: 'SIGQUIT', seconds: embeddedLimits.immediateShutdownSeconds },
  { name: 'SIGKILL', seconds: embeddedLimits.killSeconds },
] as const
