import { hasLeft } from '../../../kernel/has-left.ts'
import { limits } from '../../../kernel/limits.ts'
import type { Address } from '../../chain.ts'
import { ZERO_ADDRESS } from '../account.ts'
import { readEach } from '../multicall.ts'
import type { MarketDeps } from './deps.ts'
import { addressOf, wordsOf } from './words.ts'

export interface PoolAddresses {
  /** The pool that a factory names for a call, hex without 0x; undefined when it has none now. */
  find(call: string): Promise<Address | undefined>
  /** The same, where "none" may be as old as the state of a pool: for ways that most tokens do not have. */
  findOften(call: string): Promise<Address | undefined>
}

/** Where a factory has its pools. A pool never moves, so one that was found is known for good; one that is not there may come. */
export function openPoolAddresses(
  {
    transport,
    clock,
    newest,
    config,
  }: Pick<MarketDeps, 'transport' | 'clock' | 'newest'> & {
    readonly config: Pick<MarketDeps['config'], 'blockTimeMilliseconds'>
  },
  factory: Address,
): PoolAddresses {
  const milliseconds = Math.min(config.blockTimeMilliseconds / 2, limits.poolStateMillisecondsMax)
  const known = new Map<string, Address>()
  const absent = new Map<string, { height: bigint; untilMilliseconds: number }>()
  const underWay = new Map<string, Promise<Address | undefined>>()

  async function find(call: string): Promise<Address | undefined> {
    const kept = known.get(call) ?? underWay.get(call)
    if (kept !== undefined) return await kept
    const asking = ask(call).finally(() => underWay.delete(call))
    underWay.set(call, asking)
    return await asking
  }

  async function ask(call: string): Promise<Address | undefined> {
    const height = newest.height()
    const [answer] = await transport.read(readEach([{ target: factory, data: call }]))
    const pool = addressOf(wordsOf(answer, 1)?.[0])
    if (pool === undefined || pool === ZERO_ADDRESS) {
      const untilMilliseconds = clock.nowMilliseconds() + milliseconds
      absent.delete(call)
      absent.set(call, { height, untilMilliseconds })
      forgetOldest(absent)
      return undefined
    }
    known.set(call, pool)
    forgetOldest(known)
    return pool
  }

  return {
    find,
    findOften: async (call) => {
      const none = absent.get(call)
      const isAbsent =
        none !== undefined &&
        none.height >= newest.height() &&
        hasLeft(none.untilMilliseconds, clock.nowMilliseconds(), milliseconds)
      return isAbsent && !known.has(call) ? undefined : await find(call)
    },
  }
}

function forgetOldest(kept: Map<string, unknown>): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= limits.poolAddressesKeptMax) break
    kept.delete(oldest)
  }
}
