import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import type { Random } from '../kernel/random.ts'
import type { Listener } from '../store/listen.ts'
import { CommitUnknown, gaveUp, StoreUnavailable } from '../store/postgres.ts'
import type { Store } from '../store/postgres.ts'
import { giveOut, GivingFailed } from './give-out.ts'
import { GIVING } from './giving-name.ts'

export interface GivingDeps {
  readonly store: Store
  readonly listener: Listener
  readonly clock: Clock
  readonly log: Log
  readonly random: Random
}

/**
 * Gives events that have their numbers out to webhooks, as long as the service runs. Every instance looks, and one at a time gives: a step is one
 * transaction, so an instance may die at any point and another goes on behind what was committed. Accounts take turns, step by step. Gives the way
 * to stop: what is left waits for the next instance. After a step that failed accounts are taken one by one, until the one with which it fails is
 * found, and that one is passed over for this round: what waits of it stays, and holds nobody else up.
 */
export function startGiving(deps: GivingDeps): { stop(): Promise<void> } {
  const { store, listener, clock, log, random } = deps
  const stopping = new AbortController()
  let pause = new AbortController()
  const stopListening = listener.onChanged((name) => {
    if (name === GIVING) pause.abort()
  })
  let after = ''
  /** How many more steps are of one account alone: as many as there may be accounts in the step that failed. */
  let stepsAlone = 0

  /** Whether there may be more to give out now. */
  async function step(): Promise<boolean> {
    const isAlone = stepsAlone > 0
    stepsAlone = Math.max(0, stepsAlone - 1)
    try {
      const given = await store.inTransaction('service', (tx) =>
        giveOut(tx, random, after, isAlone ? 1 : limits.webhookGivingsPerStepMax),
      )
      // Goes on from here: instances take the turn from each other all the time, and did each begin with the first account, the last had none.
      if (given === undefined) return false
      after = given.next ?? ''
      if (given.missing > 0) {
        log.error({ count: given.missing }, 'events were forgotten before webhooks were given them')
      }
      return given.next !== null
    } catch (error) {
      if (!(error instanceof GivingFailed) || isOfAll(error.cause)) throw error
      if (!isAlone) {
        stepsAlone = limits.webhookGivingsPerStepMax
        throw error
      }
      const { accountId, cause } = error
      log.error({ accountId, err: cause }, 'an account could not be given its events for webhooks')
      after = accountId
      stepsAlone = 0
      return true
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      pause = new AbortController()
      try {
        if (await step()) continue
        await clock.sleep(
          limits.webhookLookAgainMilliseconds,
          AbortSignal.any([stopping.signal, pause.signal]),
        )
      } catch (error) {
        report(error)
        // Whatever comes meanwhile: a failure is no reason to hurry.
        await clock.sleep(limits.webhookLookAgainMilliseconds, stopping.signal)
      }
    }
  }

  function report(error: unknown): void {
    const reason = error instanceof GivingFailed ? error.cause : error
    const message = 'events wait to be given out to webhooks'
    if (reason instanceof StoreUnavailable || reason instanceof CommitUnknown) {
      log.warn({ reason }, message)
    } else log.error({ err: reason }, message)
  }

  const running = run()
  return {
    stop: async () => {
      stopping.abort()
      stopListening()
      await running
    },
  }
}

/** Whether it says nothing about what was asked. What the database ended because it took too long does. */
function isOfAll(error: unknown): boolean {
  return error instanceof CommitUnknown || (error instanceof StoreUnavailable && !gaveUp(error))
}
