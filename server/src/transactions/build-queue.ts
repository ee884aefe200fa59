import { Refusal } from '@florin/wire/errors.ts'
import type { Chain } from '../chains/chain.ts'
import { limits } from '../kernel/limits.ts'
import { openTurns } from '../kernel/turns.ts'
import { CommitUnknown, StoreUnavailable } from '../store/postgres.ts'
import type { BuildDeps } from './build-transaction.ts'
import { commitBuilds } from './commit-builds.ts'
import type { BuildDecision, BuildOrder } from './commit-builds.ts'

/** Stores builds; those of an account that wait at the same moment share a transaction. */
export interface BuildQueue {
  /** Throws what the database threw, and refuses NETWORK_ERROR where too many wait. A refusal has stored nothing. */
  submit(chain: Chain, order: BuildOrder): Promise<BuildDecision>
}

interface Waiting {
  readonly order: BuildOrder
  resolve(decision: BuildDecision): void
  reject(error: unknown): void
}

export type BuildQueueDeps = Pick<BuildDeps, 'store' | 'records' | 'clock' | 'killPoint'> & {
  /** Builds that share one transaction at most; `limits.buildBatchMax` unless a measurement says otherwise. */
  readonly batchMax?: number | undefined
}

/**
 * One line per account and network: while one of its transactions runs, its next builds gather and then share one. A lone build goes at
 * once. Correctness does not depend on it: keys and nonces are unique rows.
 */
export function openBuildQueue(deps: BuildQueueDeps): BuildQueue {
  const lines = new Map<string, Waiting[]>()
  const inTurn = openTurns(limits.buildTransactionsMax)

  async function work(name: string, chain: Chain, waiting: Waiting[]): Promise<void> {
    // Preparations that came with one answer of the node are handed in one after the other, before this goes on: they share.
    await Promise.resolve()
    while (waiting.length > 0) {
      await inTurn(() => storeNext(chain, waiting.splice(0, deps.batchMax ?? limits.buildBatchMax)))
    }
    lines.delete(name)
  }

  async function storeNext(chain: Chain, batch: readonly Waiting[]): Promise<void> {
    try {
      deliver(batch, await storeTogether(deps, chain, batch))
    } catch (error) {
      const isShared =
        error instanceof StoreUnavailable ||
        error instanceof CommitUnknown ||
        error instanceof Refusal
      if (isShared || batch.length === 1) {
        for (const { reject } of batch) reject(error)
        return
      }
      // One bad build must not take its neighbours down.
      for (const item of batch) {
        try {
          deliver([item], await storeTogether(deps, chain, [item]))
        } catch (own) {
          item.reject(own)
        }
      }
    }
  }

  return {
    submit: (chain, order) =>
      new Promise((resolve, reject) => {
        const name = `${chain.config.network} ${order.request.accountId}`
        const line = lines.get(name)
        if ((line?.length ?? 0) >= limits.buildQueueMax) {
          const message = 'Too many builds of this account are waiting.'
          reject(new Refusal('NETWORK_ERROR', { retryAfterSeconds: 1, message }))
          return
        }
        if (line !== undefined) {
          line.push({ order, resolve, reject })
          return
        }
        const waiting: Waiting[] = [{ order, resolve, reject }]
        lines.set(name, waiting)
        // Handed over: whoever waits hears of every outcome.
        void work(name, chain, waiting)
      }),
  }
}

async function storeTogether(
  { store, records, clock, killPoint }: BuildQueueDeps,
  chain: Chain,
  batch: readonly Waiting[],
): Promise<readonly BuildDecision[]> {
  const orders = batch.map(({ order }) => order)
  const [first] = orders
  if (first === undefined) return []
  const decisions = await store.inTransaction(first.request.accountId, async (tx) => {
    const made = await commitBuilds(tx, { records, clock }, chain, orders)
    killPoint('build.before-commit')
    return made
  })
  killPoint('build.after-commit')
  return decisions
}

function deliver(batch: readonly Waiting[], decisions: readonly BuildDecision[]): void {
  batch.forEach(({ resolve, reject }, index) => {
    const decision = decisions[index]
    if (decision === undefined) reject(new Error('a build was left undecided'))
    else resolve(decision)
  })
}
