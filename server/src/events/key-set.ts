import { openRecent } from '../kernel/recent.ts'
import type { FramedEvent } from './framed-event.ts'

/** Sets that are known by their keys; one that was forgotten is only made a second time. */
const KNOWN_MAX = 500

/** What a subscription wants: channels, addresses and tokens. Nobody changes it. */
export interface KeySet {
  readonly keys: ReadonlySet<string>
  /** Those of a batch that it wants, in their order. */
  wantedOf(events: readonly FramedEvent[]): readonly FramedEvent[]
}

const known = openRecent<KeySet>(KNOWN_MAX)

/** One object for all who want the same, so that what they want of a batch is found once for all of them. */
export function keySetOf(wanted: Iterable<string>): KeySet {
  const sorted = [...new Set(wanted)].toSorted()
  const name = JSON.stringify(sorted)
  const kept = known.get(name)
  if (kept !== undefined) return kept
  const made = newKeySet(new Set(sorted))
  known.set(name, made)
  return made
}

function newKeySet(keys: ReadonlySet<string>): KeySet {
  let answered: readonly FramedEvent[] | undefined
  let answer: readonly FramedEvent[] = []
  const isWanted = (framed: FramedEvent) =>
    keys.has(framed.event.channel) || framed.addresses.some((address) => keys.has(address))
  return {
    keys,
    wantedOf: (events) => {
      if (events === answered) return answer
      // All members of a room are told in one go; nothing of the batch is kept beyond it.
      if (answered === undefined) {
        queueMicrotask(() => {
          answered = undefined
          answer = []
        })
      }
      answered = events
      answer = events.filter(isWanted)
      return answer
    },
  }
}
