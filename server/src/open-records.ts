import type { NetworkId } from '@florin/wire/network.ts'
import type { Clock } from './kernel/clock.ts'
import type { PaymentId } from './kernel/id.ts'
import { limits } from './kernel/limits.ts'
import type { NetworkConfig } from './kernel/network-config.ts'
import { openReceivedRecords } from './payments/received.ts'
import { receivedStandings } from './payments/received-state-store.ts'
import { areUnderWay } from './payments/status-store.ts'
import type { AskedPayment } from './payments/status-store.ts'
import type { Waits } from './payments/wait.ts'
import type { Store } from './store/postgres.ts'
import { shareReads } from './store/shared-reads.ts'

/** Records of what was received, over reads that callers of several accounts share. */
export function openRecords({
  store,
  clock,
  waits,
  networks,
}: {
  readonly store: Store
  readonly clock: Clock
  readonly waits: Waits
  readonly networks: ReadonlyMap<NetworkId, NetworkConfig>
}) {
  const bounds = {
    underWayMax: limits.waitReadsUnderWayMax,
    sharedMax: limits.waitReadsSharedMax,
  }
  return openReceivedRecords({
    clock,
    waits,
    networks,
    inTransaction: (scope, work) => store.inTransaction(scope, work),
    isUnderWay: shareReads({
      read: (paymentIds: readonly PaymentId[]) => areUnderWay(store, paymentIds),
      ...bounds,
    }),
    standingOf: shareReads({
      read: (asked: readonly AskedPayment[]) => receivedStandings(store, asked),
      ...bounds,
    }),
  })
}
