/** Each 5 % above the one before, up to more than an hour: what is said of a latency is at most that much too high. */
const LATENCY_STEP = 1.05
const LATENCY_BOUNDS = 320

/**
 * Ascending bounds in milliseconds. Bin n holds at least the n-th of them, counted from 1, and less than the next; bin 0 less than the first. Sums of
 * past hours are kept by these numbers: other bounds need a migration that empties payment_hours and payment_hours_kept.
 */
export const latencyBounds: readonly number[] = [
  ...new Set(Array.from({ length: LATENCY_BOUNDS }, (_, step) => Math.ceil(LATENCY_STEP ** step))),
]
