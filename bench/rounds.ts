import type { Measured } from './measure.ts'

/** A thing that is measured in turn with others. */
export interface Variant {
  readonly name: string
  measure(): Promise<Measured>
}

/** Variants take turns, so that drift of the machine meets all of them; of each the round with the median rate. */
export async function inTurn(
  variants: readonly Variant[],
  rounds: number,
  note: (text: string) => void,
): Promise<readonly (Measured & { readonly name: string; readonly rates: readonly number[] })[]> {
  const taken = variants.map(() => [] as Measured[])
  for (let round = 1; round <= rounds; round += 1) {
    for (const [index, { name, measure }] of variants.entries()) {
      const measured = await measure()
      taken[index]?.push(measured)
      note(`${name}, round ${round}: ${measured.perSecond.toFixed(0)}/s`)
    }
  }
  return variants.map(({ name }, index) => {
    const sorted = (taken[index] ?? []).toSorted((one, other) => one.perSecond - other.perSecond)
    const middle = sorted[Math.floor(sorted.length / 2)]
    if (middle === undefined) throw new Error('no round was measured')
    return { ...middle, name, rates: sorted.map(({ perSecond }) => perSecond) }
  })
}
