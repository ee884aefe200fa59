/** What the EVM chain and the database say in the end. */
export interface Truth {
  /** Base units that an address holds. */
  usdcOf(address: string): Promise<bigint>
  nativeOf(address: string): Promise<bigint>
  /** Rows of the database, as its owner reads them. */
  rows<Row extends object>(text: string, values: readonly unknown[]): Promise<readonly Row[]>
}

/** Somebody who wants one thing after the other while everything is killed. */
export interface Worker {
  /** Until enough was wanted, and everything that was begun has its answer. Never rejects for what the service does. */
  work(): Promise<void>
  /** Holds what it was told against the truth, once nothing is open any more; what is wrong goes into the wants. */
  check(truth: Truth): Promise<void>
  stop?(): Promise<void>
}
