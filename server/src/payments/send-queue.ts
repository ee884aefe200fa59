import { Refusal } from '@florin/wire/errors.ts'
import type { Chain } from '../chains/chain.ts'
import type { OpenSigner } from '../custody/signer.ts'
import type { Wallet } from '../custody/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import type { KillPoint } from '../kernel/kill-point.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import { openTurns } from '../kernel/turns.ts'
import type { Broadcaster } from '../sender/broadcast.ts'
import { lockLane } from '../sender/lane-store.ts'
import type { TradeBook } from '../sender/trade-book.ts'
import { CommitUnknown, StoreUnavailable } from '../store/postgres.ts'
import type { Store } from '../store/postgres.ts'
import type { SendDecision } from './commit-sends.ts'
import type { PreparedSend } from './prepared-send.ts'
import { commitSends } from './commit-sends.ts'
import { findPayment } from './store.ts'

export interface SendQueueDeps {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly broadcaster: Broadcaster
  readonly signerFor: (wallet: Wallet, chain: Chain) => Promise<OpenSigner>
  readonly killPoint: (point: KillPoint) => void
  /** Left out where nothing is traded. */
  readonly trades?: Pick<TradeBook, 'holdUnbooked' | 'unbooked'>
  /** Sends that share one transaction at most; `limits.sendBatchMax` unless a measurement says otherwise. */
  readonly batchMax?: number
}

/** `broadcast` resolves when the nodes have answered for a committed send; it never rejects. */
export type Sent = SendDecision & { readonly broadcast?: Promise<unknown> }

export interface SendQueue {
  /**
   * Waits for the wallet's turn and gives the decision. Throws what the database or the signer threw, and refuses NETWORK_ERROR when the turn
   * comes too late for the caller. CommitUnknown is thrown to those alone whose payment may exist.
   */
  submit(chain: Chain, wallet: Wallet, send: PreparedSend, callerGone: AbortSignal): Promise<Sent>
  /** Resolves when nothing is in flight any more. */
  drained(): Promise<void>
}

interface Waiting {
  readonly send: PreparedSend
  readonly callerGone: AbortSignal
  readonly resolve: (sent: Sent) => void
  readonly reject: (error: unknown) => void
}

/**
 * One queue per lane: while one database transaction of a wallet runs, its next sends gather and then share one. A lone send
 * goes at once, with those of its moment. Only so many transactions run at once: while a wallet waits for its turn, more of its sends
 * gather, and fewer transactions carry the same payments. Order across instances is the lane's row lock; this queue only saves waiting for it one by one.
 */
export function openSendQueue(deps: SendQueueDeps): SendQueue {
  const lanes = new Map<string, { waiting: Waiting[]; worker: Promise<void> }>()
  const broadcasts = new Set<Promise<unknown>>()
  const inTurn = openTurns(limits.signingTransactionsMax)

  async function work(
    name: string,
    chain: Chain,
    wallet: Wallet,
    waiting: Waiting[],
  ): Promise<void> {
    // Drafts that came with one answer of the node are handed in one after the other, before this goes on: they share.
    await Promise.resolve()
    while (waiting.length > 0) await inTurn(() => decideNext(chain, wallet, waiting))
    lanes.delete(name)
  }

  async function decideNext(chain: Chain, wallet: Wallet, waiting: Waiting[]): Promise<void> {
    const batch = waiting
      .splice(0, deps.batchMax ?? limits.sendBatchMax)
      .filter((item) => isWanted(item))
    if (batch.length === 0) return
    try {
      deliver(chain, batch, await commit(deps, chain, wallet, batch))
    } catch (error) {
      await oneByOne(chain, wallet, batch, error)
    }
  }

  /** A payment that nobody waits for any more, and that is not stored yet, is not made. */
  function isWanted({ send, callerGone, reject }: Waiting): boolean {
    const late = deps.clock.nowMilliseconds() > send.deadlineMilliseconds
    if (late || callerGone.aborted) {
      reject(
        new Refusal('NETWORK_ERROR', {
          retryAfterSeconds: 5,
          message: 'The turn of this payment came too late; it was not made.',
        }),
      )
    }
    return !late && !callerGone.aborted
  }

  function deliver(
    chain: Chain,
    batch: readonly Waiting[],
    { decisions, unknown }: Committed,
  ): void {
    const committed = decisions.flatMap((decision, index) => {
      if (decision.kind !== 'committed' || unknown !== undefined) return []
      const requestId = batch[index]?.send.requestId ?? null
      const facts = { requestId, paymentId: decision.payment.id }
      const { before, signed } = decision
      return before === null
        ? [{ ...signed, ...facts }]
        : [
            { ...before, ...facts },
            { ...signed, ...facts },
          ]
    })
    const broadcast = deps.broadcaster.broadcast(chain.config.network, committed)
    broadcasts.add(broadcast)
    void broadcast.finally(() => broadcasts.delete(broadcast))
    batch.forEach(({ resolve, reject }, index) => {
      const decision = decisions[index]
      if (decision === undefined) reject(new Error('a send was left undecided'))
      else if (decision.kind === 'committed' && unknown !== undefined) reject(unknown)
      else resolve(decision.kind === 'committed' ? { ...decision, broadcast } : decision)
    })
  }

  /** One bad send must not take its neighbours down; an unreachable database takes them all. */
  async function oneByOne(
    chain: Chain,
    wallet: Wallet,
    batch: readonly Waiting[],
    error: unknown,
  ): Promise<void> {
    const shared = error instanceof StoreUnavailable || error instanceof Refusal
    if (shared || batch.length === 1) {
      for (const { reject } of batch) reject(error)
      return
    }
    deps.log.warn(
      { count: batch.length, reason: error },
      'a batch of sends failed and is repeated one by one',
    )
    for (const item of batch) {
      try {
        deliver(chain, [item], await commit(deps, chain, wallet, [item]))
      } catch (own) {
        item.reject(own)
      }
    }
  }

  return {
    submit: (chain, wallet, send, callerGone) =>
      new Promise((resolve, reject) => {
        const name = `${chain.config.network} ${wallet.id}`
        const lane = lanes.get(name)
        if ((lane?.waiting.length ?? 0) >= limits.sendQueueMax) {
          reject(
            new Refusal('NETWORK_ERROR', {
              retryAfterSeconds: 5,
              message: 'This wallet has too many payments waiting.',
            }),
          )
          return
        }
        if (lane !== undefined) {
          lane.waiting.push({ send, callerGone, resolve, reject })
          return
        }
        const waiting: Waiting[] = [{ send, callerGone, resolve, reject }]
        // Known before its work begins: that of a lone send whose caller has gone is over at once, and must not leave a lane
        // behind in which every later send would wait for ever.
        const opened = { waiting, worker: Promise.resolve() }
        lanes.set(name, opened)
        opened.worker = work(name, chain, wallet, waiting)
      }),
    drained: async () => {
      await Promise.all([...lanes.values()].map(({ worker }) => worker))
      await Promise.all([...broadcasts])
    },
  }
}

/** Decisions of one transaction; `unknown` when nobody can say whether it was committed. */
interface Committed {
  readonly decisions: readonly SendDecision[]
  readonly unknown?: CommitUnknown
}

async function commit(
  deps: SendQueueDeps,
  chain: Chain,
  wallet: Wallet,
  batch: readonly Waiting[],
): Promise<Committed> {
  const { store, clock, killPoint } = deps
  const sends = batch.map(({ send }) => send)
  const signer = await deps.signerFor(wallet, chain)
  let decisions: readonly SendDecision[] = []
  try {
    await store.inTransaction(wallet.accountId, async (tx) => {
      const now = clock.nowMilliseconds()
      decisions = await commitSends(
        tx,
        { chain, wallet, signer, nowMilliseconds: now, killPoint, trades: deps.trades },
        sends,
      )
    })
  } catch (error) {
    if (!(error instanceof CommitUnknown)) throw error
    return await afterUnknownCommit(deps, chain, wallet, decisions, error)
  } finally {
    signer.erase()
  }
  if (decisions.some(({ kind }) => kind === 'committed')) killPoint('send.after-commit')
  return { decisions }
}

/** Rolls back: a lane that was made to wait for its maker is nobody's. */
class NotCommitted extends Error {
  override readonly name = 'NotCommitted'
}

/**
 * COMMIT got no answer. The lane's row is held until that transaction is over, also where it is the one that makes the lane: nobody sees
 * such a row, but who would make the same one waits for it. So once we hold it the rows tell what happened. While that cannot be asked,
 * those whose payment may exist are told so; for the others nothing was at stake.
 */
async function afterUnknownCommit(
  { store }: SendQueueDeps,
  chain: Chain,
  wallet: Wallet,
  decisions: readonly SendDecision[],
  unknown: CommitUnknown,
): Promise<Committed> {
  const first = decisions.find((decision) => decision.kind === 'committed')
  if (first === undefined) return { decisions }
  try {
    await store.inTransaction(wallet.accountId, async (tx) => {
      await lockLane(tx, chain.config.network, wallet.address, 0n)
      const payment = await findPayment(tx, wallet.accountId, first.payment.id)
      if (payment === undefined) throw new NotCommitted()
    })
    return { decisions }
  } catch (error) {
    if (!(error instanceof NotCommitted)) return { decisions, unknown }
    throw new StoreUnavailable('the transaction was not committed', { cause: unknown })
  }
}
