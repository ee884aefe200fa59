import type { Clock } from '../../../kernel/clock.ts'
import { hasLeft } from '../../../kernel/has-left.ts'
import { limits } from '../../../kernel/limits.ts'
import type { Address } from '../../chain.ts'
import type { Transport } from '../../json-rpc/transport.ts'
import { blockNumberView, readEach } from '../multicall.ts'
import type { NewestHeight } from './newest-height.ts'
import { uintOf, wordsOf } from './words.ts'

/** What a pool answered at a block. */
export interface PoolAnswer {
  readonly height: bigint
  /** Undefined: nothing that could be read. */
  readonly bytes: Uint8Array | undefined
}

/** The present state of pools, shared by all who ask. */
export interface PoolStates {
  /** Never older than one block. Throws NodeFailure when no node answered properly. */
  read(pool: Address): Promise<PoolAnswer>
}

/**
 * A state is believed until a newer block is known of, and for at most half the time that a block takes, so that no more than one can have
 * come since. Those who ask at the same time share one call for all their pools.
 */
export function openPoolStates({
  transport,
  clock,
  newest,
  call,
  blockTimeMilliseconds,
}: {
  readonly transport: Transport
  readonly clock: Clock
  readonly newest: NewestHeight
  /** How a pool is asked for its state, hex without 0x. */
  readonly call: string
  readonly blockTimeMilliseconds: number
}): PoolStates {
  const milliseconds = Math.min(blockTimeMilliseconds / 2, limits.poolStateMillisecondsMax)
  const known = new Map<Address, { answer: PoolAnswer; untilMilliseconds: number }>()
  const underWay = new Map<Address, Promise<PoolAnswer>>()
  let collected:
    { pools: Address[]; answers: Promise<ReadonlyMap<Address, PoolAnswer>> } | undefined

  async function readAll(pools: readonly Address[]): Promise<ReadonlyMap<Address, PoolAnswer>> {
    const asked = pools.map((target) => ({ target, data: call }))
    const [heightBytes, ...answers] = await transport.read(readEach([blockNumberView, ...asked]))
    const height = uintOf(wordsOf(heightBytes, 1)?.[0])
    newest.note(height)
    const untilMilliseconds = clock.nowMilliseconds() + milliseconds
    const found = new Map<Address, PoolAnswer>()
    for (const [index, pool] of pools.entries()) {
      const answer = { height, bytes: answers[index] }
      found.set(pool, answer)
      known.delete(pool)
      known.set(pool, { answer, untilMilliseconds })
    }
    for (const oldest of known.keys()) {
      if (known.size <= limits.poolStatesKeptMax) break
      known.delete(oldest)
    }
    return found
  }

  /** Everybody of this tick in one call, up to a bound. */
  function collect(pool: Address): Promise<ReadonlyMap<Address, PoolAnswer>> {
    if (collected === undefined || collected.pools.length >= limits.poolsPerReadMax) {
      const pools: Address[] = []
      const mine = {
        pools,
        answers: new Promise<void>((resolve) => {
          setImmediate(resolve)
        }).then(async () => {
          if (collected === mine) collected = undefined
          return await readAll(pools)
        }),
      }
      collected = mine
    }
    collected.pools.push(pool)
    return collected.answers
  }

  async function ask(pool: Address): Promise<PoolAnswer> {
    const answers = await collect(pool)
    return answers.get(pool) ?? { height: 0n, bytes: undefined }
  }

  return {
    read: async (pool) => {
      const kept = known.get(pool)
      if (
        kept !== undefined &&
        kept.answer.height >= newest.height() &&
        hasLeft(kept.untilMilliseconds, clock.nowMilliseconds(), milliseconds)
      ) {
        return kept.answer
      }
      const asked = underWay.get(pool)
      if (asked !== undefined) return await asked
      const asking = ask(pool).finally(() => underWay.delete(pool))
      underWay.set(pool, asking)
      return await asking
    },
  }
}
