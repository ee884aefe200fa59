import { malformed } from '../json-rpc/answer.ts'
import type { Read } from '../json-rpc/transport.ts'
import { integerFrom } from './answer.ts'

/** Bytes that each account is charged for beside its data. Source: Agave, `ACCOUNT_STORAGE_OVERHEAD`. */
const OVERHEAD_BYTES = 128n

/** The least lamports of an account without data: what an ordinary wallet must keep. */
export const rentMinimumRead: Read<bigint> = {
  method: 'getMinimumBalanceForRentExemption',
  params: [0],
  parse: (result) => {
    const minimum = integerFrom(result, 'rent-exempt minimum')
    // Too little would be held for an account that is made, and what has to stay in a wallet would be spent.
    if (minimum === 0n) throw malformed('rent-exempt minimum', result)
    return minimum
  },
}

/** The least lamports of an account with so many bytes of data, from that of one without: rent is the same for each byte. */
export function rentFor(space: bigint, minimum: bigint): bigint {
  return ((OVERHEAD_BYTES + space) * minimum + OVERHEAD_BYTES - 1n) / OVERHEAD_BYTES
}
