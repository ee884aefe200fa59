/** Bounds of following claims of settlements: a part of the table of limits. */
export const claimLimits = {
  /** Signatures of a claim by which its payer's code lets it be known again. */
  claimSignaturesMax: 8,
  /** Claims of which the chain is asked at once, about as many as nodes look up in one call. */
  claimsPerReadMax: 100,
  /** How long a claim that a transaction of ours carries waits for its first look, and for each later one. */
  carriedClaimSeconds: 5,
  carriedClaimAgainSeconds: 15,
  /** How long a claim waits for its next look: an unused one, one for which nothing was ever done here (at most to its end), and one used by nobody knows what. */
  openClaimSecondsMax: 15,
  idleClaimSecondsMax: 3_600,
  lostClaimSecondsMax: 3_600,
  /** Looks at a claim in a row before it has to wait at all. */
  claimLooksAtOnce: 8,
} as const
