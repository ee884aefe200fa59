import { describedOperations } from '@florin/wire/described-operations.ts'
import type { Family } from '@florin/wire/network.ts'
import { operationReferences } from '@florin/wire/reference/operations.ts'
import { openWindows } from './access/windows.ts'
import { NodeFailure } from './chains/chain.ts'
import { connectChain } from './chains/connect.ts'
import type { VenueModule } from './chains/solana/venue-module.ts'
import { openDirectory } from './chains/directory.ts'
import type { Custody } from './custody/create-wallet.ts'
import { evmKeys } from './custody/evm-keys.ts'
import { loadInstallationSecret } from './custody/installation-secrets.ts'
import { openKeyEncryptionKey } from './custody/key-encryption-key.ts'
import { localKeyWrapper } from './custody/key-wrapper.ts'
import { openKnownReceivers } from './custody/known-receivers.ts'
import { openSigner } from './custody/signer.ts'
import { solanaKeys } from './custody/solana-keys.ts'
import type { Wallet } from './custody/wallet.ts'
import { startRelay } from './events/relay.ts'
import { openFeed } from './events/feed.ts'
import { fewSimulations } from './http/few-simulations.ts'
import { openServer } from './http/server.ts'
import type { Server, ServerOptions } from './http/server.ts'
import { readiness, startDrivers } from './drivers.ts'
import { startForgettingAll } from './forget-all.ts'
import type { Clock } from './kernel/clock.ts'
import { newId } from './kernel/id.ts'
import type { KillPoint } from './kernel/kill-point.ts'
import { limits } from './kernel/limits.ts'
import type { Log } from './kernel/log.ts'
import type { NetworkConfig } from './kernel/network-config.ts'
import type { Random } from './kernel/random.ts'
import type { Secret, SecretBytes } from './kernel/secret.ts'
import { metricsRoute } from './metrics-route.ts'
import { openOperators } from './open-operators.ts'
import { openMarkets } from './open-markets.ts'
import { nodesOf, openReports } from './open-reports.ts'
import { openPaymentBook } from './payments/advance.ts'
import { openBuiltRecords } from './payments/built.ts'
import { openDepositBook } from './payments/deposits.ts'
import { openProofs } from './payments/proof.ts'
import { readOffer } from './payments/read-offer.ts'
import { receiveRoutes } from './payments/receive-routes.ts'
import { paymentRoutes } from './payments/routes.ts'
import { openSendQueue } from './payments/send-queue.ts'
import { openWaits } from './payments/wait.ts'
import { openPurchases } from './open-purchases.ts'
import { openStores } from './open-stores.ts'
import { bothBooks } from './purchases/book.ts'
import { readDocuments, DOCUMENTS_DIRECTORY } from './reference/document-library.ts'
import { openSite } from './reference/site.ts'
import { openBroadcaster } from './sender/broadcast.ts'
import { catalogueRoutes } from './catalogue/routes.ts'
import { x402Routes } from './facilitator/routes.ts'
import { openClaimQueue } from './facilitator/claim-queue.ts'
import { findClaims } from './facilitator/claim-store.ts'
import { openTaking } from './facilitator/give.ts'
import type { AskedClaim } from './facilitator/claim-store.ts'
import { openSettlerFunds } from './facilitator/settler-funds.ts'
import { openSettlers } from './facilitator/settlers.ts'
import type { Settlers } from './facilitator/settlers.ts'
import type { RemoteFacilitator } from './facilitator/remote.ts'
import { openVerificationEvents } from './facilitator/verification-events.ts'
import { openApprovals } from './open-approvals.ts'
import { openEvents } from './open-events.ts'
import { openPeople } from './open-people.ts'
import { openTrading } from './open-trading.ts'
import { openRecords } from './open-records.ts'
import { openWallets } from './open-wallets.ts'
import { openWebhooks } from './open-webhooks.ts'
import { openOutbound } from './outbound/outbound.ts'
import { listenersOf } from './own-listeners.ts'
import { openOtherFacilitators } from './other-facilitators.ts'
import { metricsReader, openMetricsDoor, openServiceMetrics } from './service-metrics.ts'
import type { MetricsDoor } from './service-metrics.ts'
import { openListener } from './store/listen.ts'
import { CommitUnknown, StoreUnavailable } from './store/postgres.ts'
import type { Store } from './store/postgres.ts'
import { shareReads } from './store/shared-reads.ts'
import { openRedis } from './store/redis.ts'
import { openTradeBook } from './trading/book.ts'
import { paymentsBuiltFor } from './transactions/build-store.ts'
import { openBuildBook } from './transactions/follow-builds.ts'
import { transactionRoutes } from './transactions/routes.ts'
import { watchChain } from './watch-chain.ts'

export interface ServiceOptions {
  readonly networks: readonly NetworkConfig[]
  /** Venues from outside that the networks' markets may name; left out, none. */
  readonly modules?: readonly VenueModule[]
  readonly databaseUrl: Secret
  /** Where instances share what they count; left out or null, each counts for itself. */
  readonly redisUrl?: Secret | null
  /** Secret text behind the key-encryption key, from a file or the environment. */
  readonly keyText: SecretBytes
  readonly log: Log
  readonly clock: Clock
  readonly random: Random
  readonly killPoint: (point: KillPoint) => void
  /** How callers reach it, and what a browser finds; left out, plain HTTP from wherever it listens, and no page. */
  readonly edge?: Pick<ServerOptions, 'publicUrl' | 'tls' | 'trustedProxies' | 'files'>
  /** Origins of pages that may open a WebSocket, beside the service's own. */
  readonly allowedOrigins?: readonly string[]
  /** For measurements: how many sends share one transaction at most. */
  readonly sendBatchMax?: number
  /** Check every answer against its schema: for tests. */
  readonly checkAnswers?: boolean
  /** Where /metrics is served without a key; left out or null, only /metrics for keys of the scope admin. */
  readonly metricsDoor?: MetricsDoor | null
  /** Other facilitators that callers may name. */
  readonly facilitators?: readonly RemoteFacilitator[]
}

/** The running service. The rooms that setting up a sandbox or an operator's command needs are open to the caller. */
export interface Service {
  readonly store: Store
  readonly custody: Custody
  readonly keyPepper: SecretBytes
  /** The keys that pay for settlements. */
  readonly settlers: Settlers
  /** Each part that payments need, and whether it answers now: what /health/ready says. */
  readiness(): Promise<ReadonlyMap<string, 'ok' | 'down'>>
  /** Whether all of them do. */
  isReady(): Promise<boolean>
  listen(where: { host: string; port: number }): Promise<{
    url: string
    port: number
    /** Of the door for scrapers, when one was asked for. */
    metricsUrl: string | null
  }>
  readonly renewTls: Server['renewTls']
  /** Stops taking work, lets what is in flight finish within limits.drainSeconds, and lets go of everything. */
  stop(): Promise<void>
}

/** Puts the service together: the only place that knows every room. The database must be migrated. */
export async function openService(options: ServiceOptions): Promise<Service> {
  const { networks, databaseUrl, log, clock, random, killPoint } = options
  let wakeRelay = () => {}
  const stores = openStores({ url: databaseUrl, log, onAdded: () => wakeRelay() })
  const { store, ownStore } = stores
  const redis = options.redisUrl
    ? await openRedis({ url: options.redisUrl, clock, log })
    : undefined
  const keyEncryptionKey = await openKeyEncryptionKey({ store, text: options.keyText, random })
  const wrapper = localKeyWrapper({ keyEncryptionKey, random })
  const keyPepper = await loadInstallationSecret({ store, wrapper, random }, 'key-pepper')
  const proofKey = await loadInstallationSecret({ store, wrapper, random }, 'proof-key')
  const schemes = [evmKeys({ random }), solanaKeys({ random })]
  const custody: Custody = { wrapper, schemes, networks, random, clock }

  const metrics = openServiceMetrics(clock)
  const chains = networks.map((config) =>
    connectChain({
      config,
      log,
      clock,
      modules: options.modules ?? [],
      onCall: (end) => metrics.nodeCalled(config.network, end),
    }),
  )
  const directory = openDirectory(chains)
  const configs = new Map(networks.map((config) => [config.network, config]))
  const listener = openListener({ url: databaseUrl, clock, log })
  const broadcaster = openBroadcaster({ chains: directory.all, store, clock, log, killPoint })
  const proofs = openProofs({ proofKey, chains: directory.all })
  const built = openBuiltRecords({ clock, proofs })
  const trades = openTradeBook({ chains: directory.all, log })
  const deposits = openDepositBook({ clock, random })
  const waits = openWaits({ store, listener, clock })
  const book = openPaymentBook({ clock, random, trades, waits })
  const settlers = openSettlers({ store, clock, log, networks })
  const funds = openSettlerFunds({ chains, settlers, store, clock, log })
  const records = openRecords({ store, clock, waits, networks: configs })
  const builds = openBuildBook({ records: built, received: records, clock, trades, log })
  const instance = newId(random, 'req')
  // What listens besides the service itself is known before; its own doors once they are open.
  const inside = [...listenersOf(options)]
  const webhooks = openWebhooks({
    ...{ store, listener, clock, log, random, wrapper },
    outbound: openOutbound({
      allowLoopback: networks.every(({ sandbox }) => sandbox),
      ownListeners: () => inside,
      clock,
    }),
    sandbox: networks.every(({ sandbox }) => sandbox),
    onAttempt: metrics.webhookSent,
  })
  const feed = openFeed({ store, listener, clock, log })
  const relay = startRelay({
    ...{ store: ownStore, listener, clock, log, random, instance },
    onNumbered: [webhooks.onNumbered],
    announce: (events) => feed.announce(events),
  })
  wakeRelay = () => relay.wake()
  const markets = openMarkets({ store, listener, directory, clock, log, random, instance })
  const purchases = openPurchases({
    ...{ store, ownStore, waits, clock, random, killPoint, log, directory, trades },
    sandbox: networks.every(({ sandbox }) => sandbox),
    ownListeners: () => inside,
    signerFor: (wallet, chain) => openSigner({ wrapper, schemes }, wallet, chain.config),
  })
  const drivers = startDrivers(chains, {
    ...{
      store: ownStore,
      book,
      deposits,
      builds: bothBooks(builds, purchases.book),
      trades,
      broadcaster,
      clock,
      log,
      killPoint,
      instance,
    },
    signing: { wrapper, schemes },
    noteHead: markets.noteHead,
    watch: (...look) =>
      watchChain({ ...settling, store: ownStore, log, received: records, purchases }, ...look),
  })
  const queue = openSendQueue({
    ...{ store, clock, log, broadcaster, killPoint, trades },
    ...(options.sendBatchMax === undefined ? {} : { batchMax: options.sendBatchMax }),
    signerFor: (wallet, chain) => openSigner({ wrapper, schemes }, wallet, chain.config),
  })
  const stopForgetting = startForgettingAll({ store, clock, log, networks })
  const windows = openWindows({ clock })
  const reports = openReports({ store, clock, log, networks, directory, drivers, windows })
  const shown = { log, clock, random, read: metricsReader(metrics, { ...stores, drivers }) }
  let metricsDoor: Awaited<ReturnType<typeof openMetricsDoor>>

  const pages = await openSite({
    endpoints: describedOperations,
    references: operationReferences,
    documents: await readDocuments(DOCUMENTS_DIRECTORY),
  })
  const claiming = {
    store,
    records,
    clock,
    killPoint,
    signerFor: (wallet: Wallet, network: NetworkConfig) =>
      openSigner({ wrapper, schemes }, wallet, network),
  }
  const claims = openClaimQueue({ ...claiming, broadcaster, log })
  const receivers = openKnownReceivers({ store, clock })
  const verifications = openVerificationEvents({ store, relay, clock, log })
  const settling = {
    ...claiming,
    onVerified: verifications.note,
    claims,
    claimOf: shareReads({
      read: (asked: readonly AskedClaim[]) => findClaims(store, asked),
      underWayMax: limits.claimReadsUnderWayMax,
      sharedMax: limits.claimReadsSharedMax,
    }),
    take: openTaking({ store, clock }),
    settlersOf: (family: Family) => settlers.addressesOf(family),
    ...{ chains: directory.all, settlers, funds, random },
    approvals: openApprovals({ store, queue, waits, proofs, clock, random, killPoint, log }),
  }
  const { remotes, kept } = openOtherFacilitators({
    facilitators: options.facilitators ?? [],
    networks,
    ownListeners: () => inside,
    clock,
  })
  // Known once it listens, where no address was configured.
  let baseUrl = options.edge?.publicUrl?.replace(/\/$/, '') ?? ''
  const people = await openPeople({
    ...{ store, clock, random, log, redis, windows, wrapper, pepper: keyPepper },
    sandbox: networks.every(({ sandbox }) => sandbox),
    baseUrl: () => baseUrl,
  })
  const { addresses, gate } = people
  const events = openEvents({
    ...{ store, feed, gate, addresses, chains, clock, log, random },
    sessions: people.holders,
    markets,
    allowedOrigins: options.allowedOrigins ?? [],
    baseUrl: () => baseUrl,
  })
  const server = openServer({
    pages,
    routes: [
      metricsRoute({ read: shown.read, isSandbox: networks.every(({ sandbox }) => sandbox) }),
      ...paymentRoutes({
        ...{ store, queue, waits, proofs, clock, random, killPoint, directory },
        networks: configs,
        builtFor: paymentsBuiltFor,
      }),
      ...fewSimulations(
        transactionRoutes({
          ...{ store, clock, random, directory, killPoint, settling },
          ...{ records: built, received: records, batchMax: options.sendBatchMax },
          readOffer: (order) => readOffer({ ...settling, directory, proofs }, order),
          facilitatorUrl: () => `${baseUrl}/x402`,
        }),
      ),
      ...openTrading({
        ...{ store, queue, waits, clock, random, killPoint, directory },
        ...{ records: built, received: records },
      }).routes,
      ...openWallets({ store, custody, directory, clock, random, proofKey, receivers }),
      ...webhooks.routes,
      ...events.routes,
      ...people.routes,
      ...receiveRoutes({
        ...settling,
        directory,
        proofs,
        waits,
        log,
        ...{ remotes, kept },
        facilitatorUrl: () => `${baseUrl}/x402`,
      }),
      ...purchases.routes,
      ...x402Routes({
        ...settling,
        ...{ log, kept, receivers, broadcaster },
        isUsable: ({ config }) => drivers.get(config.network)?.state().following ?? false,
      }),
      ...catalogueRoutes({ store, clock, networks }),
      ...reports.routes,
      ...markets.routes,
      ...openOperators({
        ...{ ...claiming, options, random, directory, settlers, drivers, broadcaster },
        baseUrl: () => baseUrl,
      }),
    ],
    gate: reports.counted(gate),
    sockets: events.sockets,
    streams: events.streams,
    log,
    clock,
    random,
    readiness: () => readiness(ownStore, drivers),
    nodesInUse: () => nodesOf(chains),
    quietPaths: ['/metrics'],
    onAnswered: metrics.answered,
    limits,
    isUnavailable: (error) =>
      error instanceof StoreUnavailable ||
      error instanceof NodeFailure ||
      error instanceof CommitUnknown,
    ...options.edge,
    ...(options.checkAnswers === undefined ? {} : { checkAnswers: options.checkAnswers }),
  })

  return {
    store,
    custody,
    keyPepper,
    settlers,
    readiness: () => readiness(ownStore, drivers),
    isReady: async () => {
      const parts = await readiness(ownStore, drivers)
      return [...parts.values()].every((state) => state === 'ok')
    },
    renewTls: (tls) => server.renewTls(tls),
    listen: async (where) => {
      metricsDoor = await openMetricsDoor(options.metricsDoor, { ...shown, baseUrl: () => baseUrl })
      const listening = await server.listen(where)
      inside.push({ host: where.host, port: listening.port })
      if (metricsDoor !== undefined) {
        inside.push({ host: where.host, port: Number(new URL(metricsDoor.url).port) })
      }
      if (options.edge?.publicUrl === undefined) baseUrl = listening.url
      return { ...listening, metricsUrl: metricsDoor?.url ?? null }
    },
    stop: async () => {
      await server.close()
      await reports.stop()
      await remotes.stop()
      await queue.drained()
      await claims.drained()
      await people.close()
      await stopForgetting()
      await funds.stop()
      await settlers.stop()
      await Promise.all([...drivers.values()].map((driver) => driver.stop()))
      await markets.stop()
      await verifications.stop()
      await relay.stop()
      await events.stop()
      await feed.stop()
      await webhooks.stop()
      await listener.stop()
      await metricsDoor?.stop()
      redis?.close()
      await stores.close()
      keyEncryptionKey.erase()
    },
  }
}
