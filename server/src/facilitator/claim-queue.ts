import type { NetworkId } from '@florin/wire/network.ts'
import type { Chain, TransactionHash } from '../chains/chain.ts'
import type { Wallet } from '../custody/wallet.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import type { Broadcaster, Committed } from '../sender/broadcast.ts'
import { CommitUnknown, StoreUnavailable } from '../store/postgres.ts'
import { claimAlone } from './claim-alone.ts'
import type { Begun, ClaimDeps } from './beginning.ts'
import { claimMany, NotTogether } from './claim-many.ts'
import type { ClaimOrder } from './claim-many.ts'

export interface ClaimQueueDeps extends ClaimDeps {
  readonly broadcaster: Broadcaster
  readonly log: Log
}

/** What became of a claim; `sent` when the nodes have heard of its bytes. */
export type Queued = Begun & { readonly sent?: Promise<unknown> }

/** Claims of one key that wait at the same moment share a transaction and a broadcast. */
export interface ClaimQueue {
  /**
   * A claim of this key is being drafted: those that wait begin with it, if it comes soon. Ends with what is given back, called once it was handed
   * in or came to nothing.
   */
  coming(chain: Chain, settler: Wallet): () => void
  /** Claims, stores and sends. Bytes leave only after they are committed; a refusal has stored nothing. */
  claim(chain: Chain, settler: Wallet, order: ClaimOrder): Promise<Queued>
  /** From now on and for a while, every settlement of this network has a transaction of its own. */
  keepApart(network: NetworkId): void
  /** Resolves when nothing is waiting or being sent. */
  drained(): Promise<void>
}

/** Claims of one key that are being drafted, and who waits for them. */
interface Coming {
  count: number
  readonly gathering: Set<() => void>
}

interface Waiting {
  readonly order: ClaimOrder
  resolve(queued: Queued): void
  reject(error: unknown): void
}

/**
 * Opens the queue. Correctness does not depend on it: the claim is a unique row and the lane is a row lock; this only saves
 * waiting for them one by one.
 */
export function openClaimQueue(deps: ClaimQueueDeps): ClaimQueue {
  const lanes = new Map<string, { readonly waiting: Waiting[]; worker: Promise<void> }>()
  const drafts = new Map<string, Coming>()
  const broadcasts = new Set<Promise<unknown>>()
  const apartUntil = new Map<NetworkId, number>()
  const clockNow = () => deps.clock.nowMilliseconds()

  async function work(
    name: string,
    chain: Chain,
    settler: Wallet,
    waiting: Waiting[],
  ): Promise<void> {
    // Drafts that came with one answer of the node are handed in one after the other, before this goes on: they share.
    await Promise.resolve()
    while (waiting.length > 0) {
      if (isRoomLeft(waiting)) await gather(name)
      const batch = waiting.splice(0, limits.claimBatchMax)
      // One that is tried again has a claim, which must be locked and looked at: that is said of each alone.
      const isNew = ({ order }: Waiting) => order.beginning.isNew
      await claimAll(chain, settler, batch.filter(isNew))
      for (const again of batch.filter((each) => !isNew(each))) {
        await claimAll(chain, settler, [again])
      }
    }
    lanes.delete(name)
  }

  /** Until nothing more is being drafted or no more has room, and no longer than a moment: a transaction for each half of a wave costs both of them another block. */
  async function gather(name: string): Promise<void> {
    const coming = drafts.get(name)
    if (coming === undefined) return
    const over = new AbortController()
    const end = () => over.abort(GATHERED)
    coming.gathering.add(end)
    await deps.clock.sleep(limits.claimGatherMilliseconds, over.signal)
    coming.gathering.delete(end)
  }

  function endGathering(name: string): void {
    for (const end of drafts.get(name)?.gathering ?? []) end()
  }

  async function claimAll(
    chain: Chain,
    settler: Wallet,
    batch: readonly Waiting[],
    mayPart = true,
  ): Promise<void> {
    if (batch.length === 0) return
    try {
      const orders = batch.map(({ order }) => order)
      const areApart = clockNow() < (apartUntil.get(chain.config.network) ?? 0)
      deliver(chain, batch, await claimTogether(deps, chain, settler, orders, areApart))
    } catch (error) {
      const apart = error instanceof NotTogether ? error.apart : undefined
      const alone = batch.filter(({ order }) => apart?.has(order) ?? true)
      // Once: whoever else then needs a word of its own is claimed alone with all that are left.
      if (mayPart && alone.length < batch.length) {
        await claimAll(
          chain,
          settler,
          batch.filter((each) => !alone.includes(each)),
          false,
        )
        await oneByOne(chain, settler, alone, error)
      } else await oneByOne(chain, settler, batch, error)
    }
  }

  function deliver(chain: Chain, batch: readonly Waiting[], begun: readonly Begun[]): void {
    const committed = new Map<TransactionHash, Committed>()
    batch.forEach(({ order }, index) => {
      const one = begun[index]
      // Several may share a transaction, which is named by the first.
      if (one?.kind !== 'signed' || committed.has(one.signed.hash)) return
      const { paymentId, requestId = null } = order.beginning
      committed.set(one.signed.hash, { ...one.signed, requestId, paymentId })
    })
    const sent = deps.broadcaster.broadcast(chain.config.network, [...committed.values()])
    broadcasts.add(sent)
    void sent.finally(() => broadcasts.delete(sent))
    batch.forEach(({ resolve, reject }, index) => {
      const one = begun[index]
      if (one === undefined) reject(new Error('a claim was left undecided'))
      else resolve(one.kind === 'signed' ? { ...one, sent } : one)
    })
  }

  /** One bad claim must not take its neighbours down; an unreachable database takes them all. */
  async function oneByOne(
    chain: Chain,
    settler: Wallet,
    batch: readonly Waiting[],
    error: unknown,
  ): Promise<void> {
    const isShared = error instanceof StoreUnavailable || error instanceof CommitUnknown
    const isOwn = batch.length === 1 && !(error instanceof NotTogether)
    if (isShared || isOwn) {
      for (const { reject } of batch) reject(error)
      return
    }
    if (!(error instanceof NotTogether)) {
      deps.log.warn({ count: batch.length, err: error }, 'claims failed together, are made alone')
    }
    for (const item of batch) {
      try {
        deliver(chain, [item], [await claimAlone(deps, settler, item.order)])
      } catch (own) {
        item.reject(own)
      }
    }
  }

  return {
    coming: (chain, settler) => {
      const name = laneOf(chain, settler)
      const coming = drafts.get(name) ?? { count: 0, gathering: new Set() }
      drafts.set(name, coming)
      coming.count += 1
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        coming.count -= 1
        if (coming.count > 0) return
        endGathering(name)
        drafts.delete(name)
      }
    },
    claim: (chain, settler, order) =>
      new Promise((resolve, reject) => {
        const name = laneOf(chain, settler)
        const lane = lanes.get(name)
        if ((lane?.waiting.length ?? 0) >= limits.claimQueueMax) {
          resolve({ kind: 'refused', reason: 'network_unavailable' })
          return
        }
        if (lane !== undefined) {
          lane.waiting.push({ order, resolve, reject })
          if (lane.waiting.length >= limits.claimBatchMax) endGathering(name)
          return
        }
        const waiting: Waiting[] = [{ order, resolve, reject }]
        const opened = { waiting, worker: Promise.resolve() }
        lanes.set(name, opened)
        opened.worker = work(name, chain, settler, waiting)
      }),
    keepApart: (network) => {
      apartUntil.set(network, clockNow() + limits.settlementsApartSeconds * 1000)
      deps.log.warn({ network }, 'a shared settlement was burned, settlements go alone for a while')
    },
    drained: async () => {
      await Promise.all([...lanes.values()].map(({ worker }) => worker))
      await Promise.all([...broadcasts])
    },
  }
}

/** Without a reason an error would be made for every gathering. */
const GATHERED = 'all that fit are here'

/** Whether another claim would share with these: one that is tried again shares with none. */
function isRoomLeft(waiting: readonly Waiting[]): boolean {
  return waiting.length < limits.claimBatchMax && waiting.some(({ order }) => order.beginning.isNew)
}

function laneOf({ config }: Chain, { id }: Wallet): string {
  return `${config.network} ${id}`
}

async function claimTogether(
  deps: ClaimQueueDeps,
  chain: Chain,
  settler: Wallet,
  orders: readonly ClaimOrder[],
  areApart: boolean,
): Promise<readonly Begun[]> {
  const [first, ...others] = orders
  if (first !== undefined && others.length === 0) return [await claimAlone(deps, settler, first)]
  const { store, killPoint } = deps
  const signer = await deps.signerFor(settler, chain.config)
  try {
    const begun = await store.inTransaction('service', async (tx) => {
      const decided = await claimMany(tx, deps, { chain, settler, signer, areApart }, orders)
      if (decided.some(({ kind }) => kind === 'signed')) killPoint('claim.before-commit')
      return decided
    })
    if (begun.some(({ kind }) => kind === 'signed')) killPoint('claim.after-commit')
    return begun
  } finally {
    signer.erase()
  }
}
