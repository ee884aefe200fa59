/** Seeds of worlds that once broke a promise, and what they found. Each is lived through again by every `npm test`. */
export const regressions: readonly { readonly seed: number; readonly found: string }[] = [
  { seed: 14, found: 'a stale follower met a stored block before it met the fence' },
  { seed: 31, found: 'the same, with a reorg in between' },
  { seed: 25, found: 'a send that nobody waited for left a lane in which all later ones hung' },
  { seed: 33, found: 'the same, with a shorter life' },
  {
    seed: 1_042,
    found: 'a final height that one node told was taken for blocks of another branch',
  },
  { seed: 1_151, found: 'the same where transactions expire' },
  { seed: 1_265, found: 'the same with one payment' },
]
