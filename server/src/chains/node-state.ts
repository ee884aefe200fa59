/** How one configured node does, for people. */
export interface NodeState {
  /** Its place in the configuration, from 1. */
  readonly node: number
  /** Which host, without what may be a key. */
  readonly host: string
  /**
   * `ok`: may be read. `aside`: failed or was slow; it is asked its height again after a while, and read once it answers.
   * `behind`: its chain ends too far below that of the others. Sends go to all of them, whatever their state.
   */
  readonly state: 'ok' | 'aside' | 'behind'
  /** Why it is not read; null when it is. */
  readonly reason: string | null
  /** The height it named last. */
  readonly height: bigint | null
}
