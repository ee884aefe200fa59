/** A part of a whole from 0 to 1, to a thousandth, of exact base units; of nothing everything is taken. */
export function shareOf(part: string, whole: string): number {
  const [taken, all] = [BigInt(part), BigInt(whole)]
  if (all === 0n) return 1
  const perMille = (taken * 1000n) / all
  return Number(perMille > 1000n ? 1000n : perMille) / 1000
}
