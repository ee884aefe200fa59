import { Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import type { Figures, FollowerState, PoolState } from './figures.ts'

/** What the gauges show at one moment. */
export interface Moment {
  readonly nowMilliseconds: number
  /** When this instance began: what a lag is counted from before anything has worked. */
  readonly startedMilliseconds: number
  /** Undefined when the database did not answer. */
  readonly known:
    | {
        readonly figures: Figures
        /** The newest block of each network as it was seen when the figures were read: a lag compares things of one moment. */
        readonly heads: ReadonlyMap<string, number>
      }
    | undefined
  readonly followers: readonly FollowerState[]
  readonly pool: PoolState
}

/** Sets every gauge of the service's state anew. What is not known has no line: an old value would be a guess. */
export function stateGauges(registry: Registry): (moment: Moment) => void {
  const gauge = (name: string, help: string, labelNames: readonly string[] = []) =>
    new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] })

  const databaseUp = gauge('florin_database_up', 'Whether the database answered this reading.')
  const payments = gauge(
    'florin_payments',
    'Payments by network, type and status, over all instances.',
    ['network', 'type', 'status'],
  )
  const places = gauge(
    'florin_lane_places',
    'Signed transactions on their way: open (not on chain) and mined (not final).',
    ['network', 'state'],
  )
  const oldest = gauge(
    'florin_lane_oldest_open_seconds',
    'Age of the oldest signed transaction that is not on chain; 0 when there is none.',
    ['network'],
  )
  const frozen = gauge(
    'florin_lanes_frozen',
    'Wallets that are stopped because something else used their key.',
    ['network'],
  )
  const unread = gauge(
    'florin_deposits_set_aside',
    'Transactions that brought something to wallets and of which no node tells what.',
    ['network'],
  )
  const unreadBuilds = gauge(
    'florin_builds_unread',
    'Transactions in read blocks that stand for built payments and of which nobody tells what they did.',
    ['network'],
  )
  const unreadPurchases = gauge(
    'florin_purchases_unread',
    'Purchases whose money is held, and of which nobody tells what they did.',
    ['network'],
  )
  const height = gauge('florin_follower_height', 'Last block that was read.', ['network'])
  const finalHeight = gauge('florin_follower_final_height', 'Last block that counts as final.', [
    'network',
  ])
  const head = gauge('florin_node_head_height', 'Newest block that a node has shown.', ['network'])
  const lagBlocks = gauge('florin_follower_lag_blocks', 'Blocks that are not read yet.', [
    'network',
  ])
  const lagSeconds = gauge(
    'florin_follower_lag_seconds',
    'Since all that is new was read, by whichever instance, as far as this one has seen.',
    ['network'],
  )
  const chainAhead = gauge(
    'florin_chain_ahead_seconds',
    'How far the newest block was ahead of the clock of this instance when it came; less than 0: behind.',
    ['network'],
  )
  const following = gauge('florin_follower_following', 'Whether rounds work: 1 or 0.', ['network'])
  const halted = gauge(
    'florin_follower_halted',
    'Whether the network waits for an operator: 1 or 0.',
    ['network'],
  )
  const outbox = gauge('florin_outbox_rows_waiting', 'Rows of events that nobody has numbered yet.')
  const outboxOldest = gauge('florin_outbox_oldest_seconds', 'Age of the oldest of them.')
  const webhooks = gauge(
    'florin_webhooks',
    'Webhooks that events are sent to, and those that were paused because they failed.',
    ['status'],
  )
  const givings = gauge(
    'florin_webhook_events_waiting',
    'Numbered events that are not given out to webhooks yet, up to a bound.',
  )
  const givingOldest = gauge('florin_webhook_events_oldest_seconds', 'Age of the oldest of them.')
  const deliveries = gauge(
    'florin_webhook_deliveries_waiting',
    'Deliveries that have not ended, up to a bound.',
  )
  const deliveryOldest = gauge(
    'florin_webhook_oldest_due_seconds',
    'How long the oldest delivery to an address that takes them quickly has been due.',
  )
  const pool = gauge(
    'florin_database_connections',
    'Connections of this instance: busy and idle.',
    ['state'],
  )
  const poolWaiting = gauge(
    'florin_database_waiting',
    'Callers of this instance that wait for a database connection.',
  )
  const ofLanes = [places, oldest, frozen, unread]
  const ofFollowers = [height, finalHeight, halted, lagBlocks]
  const fromDatabase = [payments, ...ofLanes, unreadBuilds, unreadPurchases, ...ofFollowers]

  return ({ nowMilliseconds, startedMilliseconds, known, followers, pool: connections }) => {
    const age = (atMilliseconds: number | null) =>
      atMilliseconds === null ? 0 : Math.max(0, nowMilliseconds - atMilliseconds) / 1000
    const counted = [outbox, outboxOldest, givings, givingOldest, deliveries, deliveryOldest]
    for (const each of [...fromDatabase, ...counted, webhooks, head, chainAhead]) each.reset()
    databaseUp.set(known === undefined ? 0 : 1)
    for (const follower of followers) {
      const { network, isFollowing, headHeight, readAtMilliseconds, chainAheadMilliseconds } =
        follower
      following.set({ network }, isFollowing ? 1 : 0)
      lagSeconds.set({ network }, age(readAtMilliseconds ?? startedMilliseconds))
      if (headHeight !== null) head.set({ network }, headHeight)
      if (chainAheadMilliseconds !== null) {
        chainAhead.set({ network }, chainAheadMilliseconds / 1000)
      }
    }
    pool.set({ state: 'busy' }, connections.total - connections.idle)
    pool.set({ state: 'idle' }, connections.idle)
    poolWaiting.set(connections.waiting)
    if (known === undefined) {
      // Without labels a reset is a zero, and nobody has counted.
      for (const each of counted) each.remove()
      return
    }
    const { figures, heads } = known
    for (const { count, ...labels } of figures.payments) payments.set(labels, count)
    for (const lane of figures.lanes) {
      const { network } = lane
      places.set({ network, state: 'open' }, lane.open)
      places.set({ network, state: 'mined' }, lane.mined)
      oldest.set({ network }, age(lane.oldestOpenAtMilliseconds))
      frozen.set({ network }, lane.frozenLanes)
      unread.set({ network }, lane.unreadDeposits)
    }
    for (const { network, unread: count } of figures.builds) unreadBuilds.set({ network }, count)
    for (const { network, unread: count } of figures.purchases) {
      unreadPurchases.set({ network }, count)
    }
    for (const follower of figures.followers) {
      const { network } = follower
      const seen = heads.get(network)
      height.set({ network }, follower.height)
      finalHeight.set({ network }, follower.finalizedHeight)
      halted.set({ network }, follower.isHalted ? 1 : 0)
      if (seen !== undefined) lagBlocks.set({ network }, Math.max(0, seen - follower.height))
    }
    outbox.set(figures.outbox.waiting)
    outboxOldest.set(age(figures.outbox.oldestAtMilliseconds))
    webhooks.set({ status: 'active' }, figures.webhooks.active)
    webhooks.set({ status: 'paused' }, figures.webhooks.paused)
    givings.set(figures.givings.waiting)
    givingOldest.set(age(figures.givings.oldestAtMilliseconds))
    deliveries.set(figures.webhooks.waiting)
    deliveryOldest.set(age(figures.webhooks.oldestDueAtMilliseconds))
  }
}
