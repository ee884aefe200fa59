import type { NetworkId } from '@florin/wire/network.ts'
import type { Chain, TransactionHash, Verdict } from '../chains/chain.ts'
import type { Clock } from '../kernel/clock.ts'
import type { PaymentId } from '../kernel/id.ts'
import type { KillPoint } from '../kernel/kill-point.ts'
import type { Log } from '../kernel/log.ts'
import type { Store } from '../store/postgres.ts'
import { recordVerdicts } from './transaction-store.ts'

/** Bytes that are committed, and only such. */
export interface Committed {
  readonly hash: TransactionHash
  readonly raw: Uint8Array
  /** The request and the payment that it was signed for, when they are known: for the log. */
  readonly requestId?: string | null
  readonly paymentId?: PaymentId
  /** It was sent before: told at debug only. */
  readonly isRepeat?: boolean
  /** A driver came upon it in the store: left out while this process is handing it to the nodes. */
  readonly isFound?: boolean
}

export interface Broadcaster {
  /**
   * Hands committed bytes to the network's nodes and remembers what they said. Never throws: whatever happens, the
   * bytes are stored and are sent again until the chain has decided. Gives the nodes' word on each that was handed over.
   */
  broadcast(network: NetworkId, committed: readonly Committed[]): Promise<readonly Verdict[]>
}

/** Also tells of what left. */
export interface OpenBroadcaster extends Broadcaster {
  /** Calls it, from now on, whenever a node of the network has taken bytes that were not sent before. */
  onAccepted(listener: (network: NetworkId) => void): void
}

/** Opens the one way by which bytes leave for a chain. */
export function openBroadcaster({
  chains,
  store,
  clock,
  log,
  killPoint,
}: {
  chains: ReadonlyMap<NetworkId, Chain>
  store: Store
  clock: Clock
  log: Log
  killPoint: (point: KillPoint) => void
}): OpenBroadcaster {
  const listeners: ((network: NetworkId) => void)[] = []
  const underWay = new Set<TransactionHash>()

  const send = async (
    network: NetworkId,
    committed: readonly Committed[],
  ): Promise<readonly Verdict[]> => {
    const chain = chains.get(network)
    if (chain === undefined || committed.length === 0) return []
    killPoint('broadcast.before-node')
    const verdicts = await chain.broadcast(committed.map(({ raw }) => raw))
    killPoint('broadcast.after-node')
    const isNews = committed.some(
      ({ isRepeat = false }, index) => !isRepeat && verdicts[index]?.kind === 'accepted',
    )
    if (isNews) for (const tell of listeners) tell(network)
    noteVerdicts(log, network, committed, verdicts)
    try {
      const told = committed.flatMap(({ hash }, index) => {
        const verdict = verdicts[index]
        return verdict === undefined ? [] : [{ hash, verdict }]
      })
      const now = clock.nowMilliseconds()
      // An answer that is lost leaves bytes that are sent again, which is what happens when nothing was recorded, too.
      await recordVerdicts(store, network, told, now)
    } catch (error) {
      log.warn({ network, count: committed.length, reason: error }, 'verdicts were not recorded')
    }
    killPoint('broadcast.after-verdict')
    return verdicts
  }

  return {
    onAccepted: (listener) => void listeners.push(listener),
    broadcast: async (network, committed) => {
      const mine = committed.filter(({ hash, isFound = false }) => !isFound || !underWay.has(hash))
      for (const { hash } of mine) underWay.add(hash)
      try {
        return await send(network, mine)
      } finally {
        for (const { hash } of mine) underWay.delete(hash)
      }
    },
  }
}

/** One line for each: the way from a request to its transaction. */
function noteVerdicts(
  log: Log,
  network: NetworkId,
  committed: readonly Committed[],
  verdicts: readonly Verdict[],
): void {
  for (const [index, { hash, requestId, paymentId, isRepeat = false }] of committed.entries()) {
    const verdict = verdicts[index]
    const facts = { network, hash, requestId, paymentId, verdict: verdict?.kind }
    const reason = verdict !== undefined && 'reason' in verdict ? { reason: verdict.reason } : {}
    if (isRepeat) log.debug({ ...facts, ...reason }, 'broadcast again')
    else log.info({ ...facts, ...reason }, 'broadcast')
  }
}
