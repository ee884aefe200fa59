import type { Clock } from '../clock.ts'
import { FlorinError } from '../florin-error.ts'
import { limits } from '../limits.ts'
import type { Requirement } from './requirement.ts'

/**
 * What is asked for, as of some minutes ago at most. Visits that want it at the same moment ask the service once, and for a moment after it could not be
 * asked nobody does: what held before still asks for the right thing, since settling decides.
 */
export function openTerms(
  ask: (signal: AbortSignal) => Promise<readonly Requirement[]>,
  clock: Clock,
): () => Promise<readonly Requirement[]> {
  let known: { readonly at: number; readonly requirements: readonly Requirement[] } | undefined
  let failed: { readonly at: number; readonly error: unknown } | undefined
  let asking: Promise<readonly Requirement[]> | undefined

  /** Of less than nothing the clock says that it was set back, and then nobody knows. */
  const isWithin = (since: number, milliseconds: number) => {
    const age = clock.now() - since
    return age >= 0 && age < milliseconds
  }

  async function askAnew(): Promise<readonly Requirement[]> {
    try {
      const requirements = await ask(AbortSignal.timeout(limits.paywallAskMilliseconds))
      known = { at: clock.now(), requirements }
      failed = undefined
      return requirements
    } catch (cause) {
      const error = silenceOf(cause)
      failed = { at: clock.now(), error }
      throw error
    } finally {
      asking = undefined
    }
  }

  return async () => {
    if (known !== undefined && isWithin(known.at, limits.paywallTermsMilliseconds)) {
      return known.requirements
    }
    try {
      if (failed !== undefined && isWithin(failed.at, limits.paywallTermsPauseMilliseconds)) {
        throw failed.error
      }
      return await (asking ??= askAnew())
    } catch (error) {
      if (known !== undefined) return known.requirements
      throw error
    }
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
