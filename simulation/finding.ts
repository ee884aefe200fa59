/** Something that must never be so was so: what the simulation is for. Ends a world at once. */
export class Broken extends Error {
  override readonly name = 'Broken'
  /** Which promise, the same words in every world. */
  readonly invariant: string
  constructor(invariant: string, subject: string) {
    super(`${invariant}: ${subject}`)
    this.invariant = invariant
  }
}

export function demand(holds: boolean, invariant: string, subject: string): void {
  if (!holds) throw new Broken(invariant, subject)
}
