/** Work that nobody waits for, and that must be over before what it uses is closed. */
export interface Kept {
  /** Lets work go on by itself. What it throws is its own affair: whoever hands it over has seen to that. */
  keep(work: Promise<unknown>): void
  /** Resolves when none is left. */
  ended(): Promise<void>
}

export function openKept(): Kept {
  const underWay = new Set<Promise<unknown>>()
  return {
    keep: (work) => {
      const ended = work.catch(() => undefined)
      underWay.add(ended)
      // Handed over: it never rejects, and `ended` waits for it.
      void ended.then(() => underWay.delete(ended))
    },
    ended: async () => {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
