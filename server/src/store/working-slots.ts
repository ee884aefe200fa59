/** How many may work at once, as far as nobody has to wait long for it. */
export interface WorkingSlots {
  /** Resolves when it is the caller's turn: at once while there is room, and after the patience in any case. Undefined: at once. */
  take(): Promise<void> | undefined
  /** The caller's work is done. */
  give(): void
  /** How many wait for their turn. */
  waiting(): number
}

/**
 * Lets so many work at once and the others wait in order, but nobody longer than the patience: those that are slow, or wait for each other, keep
 * nobody from working. What bounds all of them is behind this.
 */
export function openWorkingSlots(atOnce: number, patienceMilliseconds: number): WorkingSlots {
  let working = 0
  const queue = new Set<() => void>()

  const begin = (): void => {
    working += 1
  }
  return {
    take: () => {
      if (working < atOnce) {
        begin()
        return undefined
      }
      const turn = Promise.withResolvers<void>()
      const go = (): void => {
        clearTimeout(timer)
        queue.delete(go)
        begin()
        turn.resolve()
      }
      const timer = setTimeout(go, patienceMilliseconds)
      queue.add(go)
      return turn.promise
    },
    give: () => {
      working -= 1
      const [next] = queue
      if (next !== undefined && working < atOnce) next()
    },
    waiting: () => queue.size,
  }
}
