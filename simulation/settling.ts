import type { Chain } from '@florin/server/chains/chain.ts'
import type { OpenSigner } from '@florin/server/custody/signer.ts'
import type { Wallet } from '@florin/server/custody/wallet.ts'
import { openClaimQueue } from '@florin/server/facilitator/claim-queue.ts'
import { findClaims } from '@florin/server/facilitator/claim-store.ts'
import type { AskedClaim } from '@florin/server/facilitator/claim-store.ts'
import { openTaking } from '@florin/server/facilitator/give.ts'
import { x402Routes } from '@florin/server/facilitator/routes.ts'
import { openSettlerFunds } from '@florin/server/facilitator/settler-funds.ts'
import { openSettlers } from '@florin/server/facilitator/settlers.ts'
import { watchClaims } from '@florin/server/facilitator/watch.ts'
import type { Clock } from '@florin/server/kernel/clock.ts'
import type { PaymentId } from '@florin/server/kernel/id.ts'
import { openKept } from '@florin/server/kernel/kept.ts'
import { limits } from '@florin/server/kernel/limits.ts'
import type { Log } from '@florin/server/kernel/log.ts'
import type { Random } from '@florin/server/kernel/random.ts'
import { openKnownReceivers } from '@florin/server/custody/known-receivers.ts'
import { openReceivedRecords } from '@florin/server/payments/received.ts'
import { receivedStandings } from '@florin/server/payments/received-state-store.ts'
import { areUnderWay } from '@florin/server/payments/status-store.ts'
import type { AskedPayment } from '@florin/server/payments/status-store.ts'
import type { Waits } from '@florin/server/payments/wait.ts'
import type { Broadcaster } from '@florin/server/sender/broadcast.ts'
import type { DriverDeps } from '@florin/server/sender/driver.ts'
import type { Store } from '@florin/server/store/postgres.ts'
import { shareReads } from '@florin/server/store/shared-reads.ts'

/** The facilitator's part of a life, put together as the real composition does. */
export function openSettling({
  chain,
  store,
  clock,
  random,
  log,
  waits,
  broadcaster,
  signerOf,
}: {
  chain: Chain
  store: Store
  clock: Clock
  random: Random
  log: Log
  waits: Waits
  broadcaster: Broadcaster
  signerOf: (address: string) => Promise<OpenSigner>
}) {
  const { config } = chain
  const { network } = config
  const chains = new Map([[network, chain]])
  const killPoint = () => undefined
  const settlers = openSettlers({ store, clock, log, networks: [config] })
  const funds = openSettlerFunds({ chains: [chain], settlers, store, clock, log })
  const records = openReceivedRecords({
    clock,
    waits,
    networks: new Map([[network, config]]),
    inTransaction: (scope, work) => store.inTransaction(scope, work),
    isUnderWay: shareReads({
      read: (paymentIds: readonly PaymentId[]) => areUnderWay(store, paymentIds),
      underWayMax: limits.waitReadsUnderWayMax,
      sharedMax: limits.waitReadsSharedMax,
    }),
    standingOf: shareReads({
      read: (asked: readonly AskedPayment[]) => receivedStandings(store, asked),
      underWayMax: limits.waitReadsUnderWayMax,
      sharedMax: limits.waitReadsSharedMax,
    }),
  })
  const claiming = {
    store,
    records,
    clock,
    killPoint,
    signerFor: ({ address }: Wallet) => signerOf(address),
  }
  const claims = openClaimQueue({ ...claiming, broadcaster, log })
  const routes = x402Routes({
    ...claiming,
    ...{ claims, broadcaster },
    claimOf: shareReads({
      read: (asked: readonly AskedClaim[]) => findClaims(store, asked),
      underWayMax: limits.claimReadsUnderWayMax,
      sharedMax: limits.claimReadsSharedMax,
    }),
    take: openTaking({ store, clock }),
    chains,
    settlers,
    funds,
    settlersOf: (family) => settlers.addressesOf(family),
    random,
    log,
    kept: openKept(),
    receivers: openKnownReceivers({ store, clock }),
    isUsable: () => true,
  })
  const watch: DriverDeps['watch'] = (finalizedHeight, stopping) =>
    watchClaims({ ...claiming, claims, settlers, funds, log }, chain, finalizedHeight, stopping)
  return { routes, watch }
}
