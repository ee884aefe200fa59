import type { Clock } from '@florin/server/kernel/clock.ts'
import { limits } from '@florin/server/kernel/limits.ts'
import { readOwner } from '../owner-file.ts'
import type { Owner } from '../owner-file.ts'
import { isRunning } from '../process-identity.ts'
import { takeLock } from './lock.ts'
import type { Lock } from './lock.ts'

const PAUSE_MILLISECONDS = 50
/** A run that is ending may first finish its requests and then stop its children. */
const ENDING_SECONDS = limits.drainSeconds + 15
/** One that is starting has no address yet; it is waited for only to be able to name it. */
const STARTING_SECONDS = 10

export type Claim =
  | { readonly ok: true; readonly lock: Lock }
  | { readonly ok: false; readonly owner: Owner | undefined }

/**
 * Takes a data directory. A live owner is a refusal at once; one that is ending (it says so, it was killed, or its
 * launcher was) is waited for, and one that is starting until it has an address to name. Both waits are bounded.
 */
export async function claimDataDirectory({
  lock: path,
  owner: ownerPath,
  clock,
  signal,
  onWait,
}: {
  lock: string
  owner: string
  clock: Clock
  /** Ends the wait at once, as a refusal. */
  signal: AbortSignal
  onWait: (reason: string) => void
}): Promise<Claim> {
  const start = clock.nowMilliseconds()
  let told: string | undefined
  for (;;) {
    const lock = takeLock(path)
    if (lock !== undefined) return { ok: true, lock }
    const owner = await readOwner(ownerPath)
    const ending = owner === undefined || (await isEnding(owner))
    if (!ending && owner.baseUrl !== null) return { ok: false, owner }
    const seconds = ending ? ENDING_SECONDS : STARTING_SECONDS
    const late = clock.nowMilliseconds() - start > seconds * 1000
    if (late || signal.aborted) return { ok: false, owner }
    const reason = ending
      ? 'waiting for the florin before this one to end'
      : 'another florin is starting here'
    if (told !== reason) onWait(reason)
    told = reason
    await clock.sleep(PAUSE_MILLISECONDS, signal)
  }
}

async function isEnding(owner: Owner): Promise<boolean> {
  if (owner.state === 'stopping' || !(await isRunning(owner))) return true
  const launchers = await Promise.all(owner.launchers.map(isRunning))
  return launchers.includes(false)
}
