import { eventsOfRanges } from '../events/event-store.ts'
import type { RangeRead } from '../events/event-store.ts'
import type { NumberedEvent } from '../events/event.ts'
import { eventText } from '../events/framed-event.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Random } from '../kernel/random.ts'
import { notifyChanged } from '../store/listen.ts'
import type { Tx } from '../store/postgres.ts'
import { insertDeliveries } from './delivery-store.ts'
import type { NewDelivery } from './delivery.ts'
import { nextGivings, reachGivings, takeGivingTurn } from './giving-store.ts'
import type { Reached } from './giving-store.ts'
import type { Giving, Listening } from './giving.ts'
import { QUEUE } from './queue-name.ts'
import { liveWebhooks } from './store.ts'

/** What one step came to. */
export interface GivenOut {
  /** The account behind which to go on; null when nothing waits of any. */
  readonly next: AccountId | null
  /** Events that were to be given out and are not kept any more. */
  readonly missing: number
}

/** What waits could not be given out, and nothing of the step was. */
export class GivingFailed extends Error {
  override readonly name = 'GivingFailed'
  /** The first account of the step. */
  readonly accountId: AccountId

  constructor(accountId: AccountId, cause: unknown) {
    super('a step of giving out failed', { cause })
    this.accountId = accountId
  }
}

/** How far one step goes with events that were numbered at once. */
interface Share {
  readonly giving: Giving
  /** Those that are still there. */
  readonly webhooks: readonly Listening[]
  /** The last event of this step. */
  readonly upto: number
}

/**
 * Gives the oldest events of the next accounts out to their endpoints, a delivery for each endpoint that wanted one when it was numbered, and writes
 * down how far that went, in one transaction: given out and written down, or neither. The accounts share a step that is bounded in deliveries and in
 * what their bodies hold, and has one event at least, for all endpoints of its account. Undefined when another instance gives out.
 * @param givingsMax of how many numberings; with one the step is of one account alone.
 * @throws {GivingFailed}
 */
export async function giveOut(
  tx: Tx,
  random: Random,
  after: string,
  givingsMax: number = limits.webhookGivingsPerStepMax,
): Promise<GivenOut | undefined> {
  if (!(await takeGivingTurn(tx))) return undefined
  const behind = await nextGivings(tx, after, givingsMax)
  const isRoundOver = behind.length === 0 && after !== ''
  const givings = isRoundOver ? await nextGivings(tx, '', givingsMax) : behind
  const [first] = givings
  if (first === undefined) return { next: null, missing: 0 }
  try {
    return await giveThese(tx, random, givings)
  } catch (error) {
    throw new GivingFailed(first.accountId, error)
  }
}

async function giveThese(tx: Tx, random: Random, givings: readonly Giving[]): Promise<GivenOut> {
  const byAccount = Map.groupBy(givings, ({ accountId }) => accountId)
  const shares = sharesOf(byAccount, await liveWebhooks(tx, [...byAccount.keys()]))
  const listened = shares.filter(({ webhooks }) => webhooks.length > 0)
  const read = await eventsOfRanges(
    tx,
    listened.map(({ giving: { accountId, givenSequence: after }, upto }) => ({
      ...{ accountId, after, upto },
    })),
    limits.webhookGivenCharactersMax,
  )
  const readOf = new Map(listened.map((share, index) => [share, read[index]]))
  const { deliveries, reached, missing } = fill(shares, readOf, random)
  await insertDeliveries(tx, deliveries)
  await reachGivings(tx, reached)
  if (deliveries.length > 0) await notifyChanged(tx, [QUEUE])
  return { next: reached.at(-1)?.giving.accountId ?? null, missing }
}

/** As many accounts as fit into the step, and how far each goes. What is left comes in the steps behind it. */
function sharesOf(
  byAccount: ReadonlyMap<AccountId, readonly Giving[]>,
  live: ReadonlySet<string>,
): readonly Share[] {
  const rowsPerAccount = limits.webhookGivenPerStepMax / byAccount.size
  const shares: Share[] = []
  let rows = 0
  for (const givings of byAccount.values()) {
    if (rows >= limits.webhookGivenPerStepMax) break
    let rowsLeft = rowsPerAccount
    for (const giving of givings) {
      const webhooks = giving.webhooks.filter(({ id }) => live.has(id))
      const { givenSequence, lastSequence } = giving
      const isFirst = rowsLeft === rowsPerAccount
      const fitting = Math.max(isFirst ? 1 : 0, Math.floor(rowsLeft / webhooks.length))
      const upto =
        webhooks.length === 0 ? lastSequence : Math.min(givenSequence + fitting, lastSequence)
      if (upto === givenSequence) break
      shares.push({ giving, webhooks, upto })
      rowsLeft -= (upto - givenSequence) * webhooks.length
      if (upto < lastSequence) break
    }
    rows += rowsPerAccount - rowsLeft
  }
  return shares
}

/** What a step makes of what was read. It ends before the first event that would make it too long, however few those before it are. */
function fill(
  shares: readonly Share[],
  readOf: ReadonlyMap<Share, RangeRead | undefined>,
  random: Random,
): {
  readonly deliveries: readonly NewDelivery[]
  readonly reached: readonly Reached[]
  readonly missing: number
} {
  const deliveries: NewDelivery[] = []
  const reached: Reached[] = []
  let characters = 0
  let missing = 0
  for (const share of shares) {
    const { giving, webhooks, upto } = share
    const { givenSequence } = giving
    const read = readOf.get(share)
    let sequence = read?.upto ?? upto
    let count = 0
    for (const event of read?.events ?? []) {
      const made = deliveriesOf(event, webhooks, random)
      const added = made.reduce((sum, { body }) => sum + body.length, 0)
      if (characters > 0 && characters + added > limits.webhookGivenCharactersMax) {
        sequence = event.sequence - 1
        break
      }
      characters += added
      count += 1
      deliveries.push(...made)
    }
    if (read !== undefined) missing += sequence - givenSequence - count
    if (sequence > givenSequence) reached.push({ giving, sequence })
    if (sequence < upto) break
  }
  return { deliveries, reached, missing }
}

function deliveriesOf(
  event: NumberedEvent,
  webhooks: readonly Listening[],
  random: Random,
): readonly NewDelivery[] {
  const wanting = webhooks.filter(({ types }) => types.length === 0 || types.includes(event.type))
  if (wanting.length === 0) return []
  const body = eventText(event)
  return wanting.map(({ id: webhookId }) => ({
    id: newId(random, 'dlv'),
    accountId: event.accountId,
    webhookId,
    eventId: event.id,
    type: event.type,
    lane: event.resourceId,
    redeliveryOf: null,
    body,
  }))
}
