/** Numbers from 0 to 1 that a seed decides (a linear congruential generator; only moments and choices depend on it). */
export function fractions(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
