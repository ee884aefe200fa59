import { UsageError } from '../usage-error.ts'

const SECONDS_MAX = 86_400

/** A number of seconds out of a flag. */
export function secondsFrom(flag: string, text: string | undefined, unlessGiven: number): number {
  return wholeFrom(flag, text, { unlessGiven, most: SECONDS_MAX })
}

/** A whole number from 1 out of a flag. @throws UsageError */
export function wholeFrom(
  flag: string,
  text: string | undefined,
  { unlessGiven, most }: { unlessGiven: number; most: number },
): number {
  if (text === undefined) return unlessGiven
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (value < 1 || value > most) throw new UsageError(`--${flag} must be from 1 to ${most}`)
  return value
}
