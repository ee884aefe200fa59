import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { OutboxEvent } from './facts.ts'

/** Facts of one account that get their numbers together. */
export interface FactRun {
  readonly accountId: AccountId
  readonly facts: readonly OutboxEvent[]
}

/** Facts by their accounts, in runs no longer than `limits.eventsPerRunMax`; those of an account in order. */
export function runsOf(events: readonly OutboxEvent[]): readonly FactRun[] {
  const runs: FactRun[] = []
  for (const [accountId, own] of Map.groupBy(events, (event) => event.accountId)) {
    for (let start = 0; start < own.length; start += limits.eventsPerRunMax) {
      runs.push({ accountId, facts: own.slice(start, start + limits.eventsPerRunMax) })
    }
  }
  return runs
}

/** ASCII's record separator: JSON writes no such character as it is. */
export const RUN_END = '\u001E'

/** Runs as columns for a statement: accounts, counts, and their texts as one with RUN_END between them, which spares them the escapes of an array. */
export function columnsOf(
  runs: readonly FactRun[],
  texts: readonly string[],
): readonly [readonly AccountId[], readonly number[], string] {
  return [
    runs.map(({ accountId }) => accountId),
    runs.map(({ facts }) => facts.length),
    texts.join(RUN_END),
  ]
}
