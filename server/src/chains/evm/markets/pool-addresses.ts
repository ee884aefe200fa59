import { limits } from '../../../kernel/limits.ts'
import type { Address } from '../../chain.ts'
import type { Transport } from '../../json-rpc/transport.ts'
import { ZERO_ADDRESS } from '../account.ts'
import { readEach } from '../multicall.ts'
import { addressOf, wordsOf } from './words.ts'

/** Where a factory has its pools. A pool never moves, so one that was found is known for good; one that is not there may come. */
export function openPoolAddresses(
  transport: Transport,
  factory: Address,
): (call: string) => Promise<Address | undefined> {
  const known = new Map<string, Address>()
  return async (call) => {
    const kept = known.get(call)
    if (kept !== undefined) return kept
    const [answer] = await transport.read(readEach([{ target: factory, data: call }]))
    const pool = addressOf(wordsOf(answer, 1)?.[0])
    if (pool === undefined || pool === ZERO_ADDRESS) return undefined
    known.set(call, pool)
    for (const oldest of known.keys()) {
      if (known.size <= limits.poolAddressesKeptMax) break
      known.delete(oldest)
    }
    return pool
  }
}
