/** A process that `up` runs beside itself. */
export interface Child {
  readonly pid: number
  /** Settles when it is gone, asked for or not. */
  readonly exited: Promise<unknown>
  /** Ends it politely, then by force, each step bounded. May be called more than once. */
  stop(): Promise<void>
}
