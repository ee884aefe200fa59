const FIRST_PAUSE_MILLISECONDS = 1_000
/** Planning all that the service asks takes a connection some 50 ms of the database's time. */
const PAUSE_MILLISECONDS_MAX = 30_000

/**
 * Says when the plans of one connection are old: a second after it was opened, and then after twice as long each time, up to half a minute.
 *
 * A plan is made for the tables as they are. Those of a new installation are empty, and what suits them compares all with all once they are not,
 * until PostgreSQL takes statistics: after a minute, as it is set by default. What is planned anew meanwhile sees how many pages there are.
 * @param openedAtMilliseconds of a clock that only goes forward, as are the moments that it is asked about.
 */
export function plansAge(openedAtMilliseconds: number): (nowMilliseconds: number) => boolean {
  let pause = FIRST_PAUSE_MILLISECONDS
  let oldAt = openedAtMilliseconds + pause
  return (now) => {
    if (now < oldAt) return false
    pause = Math.min(pause * 2, PAUSE_MILLISECONDS_MAX)
    oldAt = now + pause
    return true
  }
}
