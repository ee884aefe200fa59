/** Bounds of removing what has had its time: a part of the table of limits. */
export const forgetLimits = {
  /** How often is looked for it. */
  forgetSeconds: 3_600,
  /** Pause between two rounds of one look, in each of which every room that has more removes a bounded number. */
  forgetPauseMilliseconds: 100,
  /** Rounds of one look: of what comes in 1,000 at a time, 2,700 a second and more than the service takes in. */
  forgetRoundsMax: 10_000,
} as const
