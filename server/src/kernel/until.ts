import { setTimeout as delay } from 'node:timers/promises'

const PAUSE_MILLISECONDS = 10

/**
 * Asks again and again until the condition holds, and gives back what it said.
 * The one way to wait in tests: a stated condition and a deadline, never a pause that hopes.
 * @throws {Error} naming `what` when the deadline passes; a throwing condition ends the wait at once.
 */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  { seconds }: { seconds: number },
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = performance.now() + seconds * 1000
  for (;;) {
    const found = await condition()
    if (found !== false && found !== null && found !== undefined) {
      return found as Exclude<T, false | null | undefined>
    }
    if (performance.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`)
    await delay(PAUSE_MILLISECONDS)
  }
}
