/**
 * Whether a stretch of time that was given out has some of it left. With more left than it was long, the clock was set back, and it is over: what was
 * to last for seconds would last for hours.
 */
export function hasLeft(
  untilMilliseconds: number,
  nowMilliseconds: number,
  lengthMilliseconds: number,
): boolean {
  const left = untilMilliseconds - nowMilliseconds
  return left > 0 && left <= lengthMilliseconds
}
