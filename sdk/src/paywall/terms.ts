import type { Clock } from '../clock.ts'
import { FlorinError } from '../florin-error.ts'
import { limits } from '../limits.ts'
import type { Requirement } from './requirement.ts'

/** What is asked for, as the service has it. */
export interface Terms {
  /** @throws what kept the service from being asked, while nothing is known of it */
  now(): Promise<readonly Requirement[]>
  /** Seconds until the service is asked again; a moment where it was not away. */
  againInSeconds(): number
}

/** Who hears how the service is. Neither throws. */
export interface TermsHeard {
  /** It could not be asked, once more. */
  away(error: unknown): void
  /** It could be, after it was away. */
  back(): void
}

interface Failed {
  readonly at: number
  readonly pauseMilliseconds: number
  readonly error: unknown
}

/**
 * What is asked for, as of some minutes ago at most. Visits that want it at the same moment ask the service once, and for a while after it could not be
 * asked nobody does, longer each time: what held before still asks for the right thing, since settling decides, and then nobody waits for the service.
 */
export function openTerms(
  ask: (signal: AbortSignal) => Promise<readonly Requirement[]>,
  clock: Clock,
  heard: TermsHeard,
): Terms {
  let known: { readonly at: number; readonly requirements: readonly Requirement[] } | undefined
  let failed: Failed | undefined
  let asking: Promise<readonly Requirement[]> | undefined

  /** Of less than nothing the clock says that it was set back, and then nobody knows. */
  const isWithin = (since: number, milliseconds: number) => {
    const age = clock.now() - since
    return age >= 0 && age < milliseconds
  }

  function noteFailure(error: unknown): void {
    const pauseMilliseconds =
      failed === undefined
        ? limits.paywallTermsPauseMilliseconds
        : Math.min(failed.pauseMilliseconds * 2, limits.paywallTermsPauseMillisecondsMax)
    failed = { at: clock.now(), pauseMilliseconds, error }
    heard.away(error)
  }

  async function askAnew(): Promise<readonly Requirement[]> {
    try {
      const requirements = await ask(AbortSignal.timeout(limits.paywallAskMilliseconds))
      known = { at: clock.now(), requirements }
      if (failed !== undefined) heard.back()
      failed = undefined
      return requirements
    } catch (cause) {
      const error = silenceOf(cause)
      noteFailure(error)
      throw error
    } finally {
      asking = undefined
    }
  }

  return {
    async now() {
      const isPaused = failed !== undefined && isWithin(failed.at, failed.pauseMilliseconds)
      if (known === undefined) {
        if (isPaused) throw failed?.error
        return (asking ??= askAnew())
      }
      const { at, requirements } = known
      if (isPaused || isWithin(at, limits.paywallTermsMilliseconds)) return requirements
      const anew = (asking ??= askAnew()).catch(() => requirements)
      // Who was not there a moment ago may say nothing for long.
      const isAway = failed !== undefined && isWithin(failed.at, limits.paywallTermsMilliseconds)
      return isAway ? requirements : anew
    },
    againInSeconds() {
      const least = limits.paywallRetryAfterSeconds
      if (failed === undefined) return least
      const left = failed.pauseMilliseconds - (clock.now() - failed.at)
      const most = Math.ceil(failed.pauseMilliseconds / 1000)
      return Math.min(Math.max(Math.ceil(left / 1000), least), most)
    },
  }
}

/** It was this that gave up on the call: for the seller the service did not answer. */
function silenceOf(error: unknown): unknown {
  if (!(error instanceof FlorinError) || error.code !== 'ABORTED') return error
  return new FlorinError({
    code: 'NO_ANSWER',
    message: 'the service does not answer',
    cause: error,
  })
}
