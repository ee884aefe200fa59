import { limits } from '../kernel/limits.ts'
import type { Random } from '../kernel/random.ts'

const SECONDS = [5, 30, 120, 600, 3_600]
const LAST_SECONDS = 6 * 3_600
const HOUR_MILLISECONDS = 3_600_000
/** Up to a tenth more, so that what failed together does not come back together. */
const SPREAD = 10

/**
 * How long a delivery waits after its nth failed attempt, milliseconds: about 5 s, 30 s, 2 min, 10 min, 1 h, then every 6 h. Undefined when
 * the next attempt would be later than limits.webhookRetryHours after `ageMilliseconds` began: it is given up.
 */
export function waitAfter(
  attempts: number,
  ageMilliseconds: number,
  random: Random,
): number | undefined {
  const seconds = SECONDS[attempts - 1] ?? LAST_SECONDS
  const [chance = 0] = random.bytes(1)
  const wait = seconds * 1000 + Math.floor((seconds * 1000 * chance) / 256 / SPREAD)
  return ageMilliseconds + wait > limits.webhookRetryHours * HOUR_MILLISECONDS ? undefined : wait
}
