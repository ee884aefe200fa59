import { CommitUnknown, StoreUnavailable } from '@florin/server/store/postgres.ts'
import type { Store, Tx } from '@florin/server/store/postgres.ts'
import type { Steps } from './steps.ts'
import { beginTransaction } from './transaction.ts'
import type { OpenTransaction } from './transaction.ts'

/** What a transaction did, told once it is committed. */
export interface CommittedWork {
  readonly statements: readonly string[]
  /** Names that listeners are told of. */
  readonly notified: readonly string[]
}

/** PostgreSQL as all instances of a world use it. */
export interface SharedDatabase {
  readonly store: Store
  openTransactions: number
}

/** The database as one life of an instance sees it. */
export interface SimulatedStore extends Store {
  /** The process is dead: its connections break and PostgreSQL rolls back what it had begun. */
  breakOff(): Promise<void>
}

/**
 * Of all instances together. Of two, one can wait for the other and no more: among three, PostgreSQL itself would choose who of two that wait
 * goes first, and the same seed would not always give the same world.
 */
const OPEN_TRANSACTIONS_MAX = 2

/** The real PostgreSQL behind one step per statement, so that statements of several transactions meet in any order. */
export function openSimulatedStore({
  actor,
  steps,
  database,
  onCommitted,
}: {
  actor: string
  steps: Steps
  database: SharedDatabase
  onCommitted: (work: CommittedWork) => Promise<void>
}): SimulatedStore {
  /** Those that wait for no answer of PostgreSQL. */
  const idle = new Set<OpenTransaction>()
  let isDead = false
  const unavailable = () => new StoreUnavailable('the world took the database away')

  const query: Store['query'] = (name, text, values) =>
    steps.ask({
      actor,
      kind: 'query',
      label: name,
      effect: () => database.store.query(name, text, values),
      failure: unavailable,
    })

  const write: Store['write'] = (name, text, values) =>
    steps.ask({
      actor,
      kind: 'query',
      label: name,
      effect: () => database.store.write(name, text, values),
      failure: unavailable,
    })

  const inTransaction: Store['inTransaction'] = async (scope, work) => {
    const transaction = await steps.ask({
      actor,
      kind: 'begin',
      label: scope === 'service' ? scope : 'account',
      effect: async () => {
        database.openTransactions += 1
        const begun = await beginTransaction(database.store, scope)
        idle.add(begun)
        return begun
      },
      isPossible: () => database.openTransactions < OPEN_TRANSACTIONS_MAX,
    })
    const statements: string[] = []
    const notified: string[] = []
    let isBroken = false
    const end = (how: 'commit' | 'rollback') => {
      database.openTransactions -= 1
      idle.delete(transaction)
      return transaction[how]()
    }
    const ask = async <Row extends object>(
      name: string,
      text: string,
      values?: readonly unknown[],
    ): Promise<Row[]> =>
      steps.ask({
        actor,
        kind: 'query',
        label: name,
        effect: async () => {
          if (isBroken) throw unavailable()
          idle.delete(transaction)
          try {
            return await transaction.tx.query<Row>(name, text, values)
          } finally {
            idle.add(transaction)
            // It waited for a lock when its process died, and PostgreSQL finds nobody to answer.
            if (isDead) await end('rollback')
            statements.push(name)
            if (name === 'notify_changed') notified.push(...String(values?.[0]).split(' '))
          }
        },
        failure: () => {
          isBroken = true
          return unavailable()
        },
      })
    /** The last statement that was sent and is not answered: a connection takes them in their order, also those that nobody waits for in between. */
    let last: Promise<unknown> | undefined
    const tx: Tx = {
      query: async <Row extends object>(
        name: string,
        text: string,
        values?: readonly unknown[],
      ): Promise<Row[]> => {
        const own =
          last === undefined
            ? ask<Row>(name, text, values)
            : last.then(() => ask<Row>(name, text, values))
        const answered = own.then(
          () => undefined,
          () => undefined,
        )
        last = answered
        try {
          return await own
        } finally {
          if (last === answered) last = undefined
        }
      },
    }
    let result: Awaited<ReturnType<typeof work>>
    try {
      result = await work(tx)
    } catch (error) {
      await steps.ask({ actor, kind: 'rollback', label: '', effect: () => end('rollback') })
      throw error
    }
    await steps.ask({
      actor,
      kind: 'commit',
      label: statements.at(-1) ?? '',
      weight: statements.length,
      effect: async () => {
        if (isBroken) {
          await end('rollback')
          throw unavailable()
        }
        await end('commit')
        await onCommitted({ statements, notified })
      },
      failure: async (fate) => {
        if (fate === 'refused') await end('rollback')
        return new CommitUnknown('the world lost the answer to commit')
      },
    })
    return result
  }

  return {
    query,
    write,
    inTransaction,
    reachable: async () => true,
    close: async () => undefined,
    breakOff: async () => {
      isDead = true
      await steps.release(async () => {
        for (const transaction of idle) {
          database.openTransactions -= 1
          await transaction.rollback()
        }
      })
      idle.clear()
    },
  }
}
