import { limits } from '../../kernel/limits.ts'
import type { Address } from '../chain.ts'
import { malformed } from '../json-rpc/answer.ts'
import { askedAtMost } from '../json-rpc/asked-at-most.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { bytesFrom } from './answer.ts'
import { addressWord } from './eip712.ts'
import { hexBytes } from './hex.ts'

const WORD_BYTES = 32
/** An address that had no code is asked again after this long; settling always asks anew. */
const LIFETIME_MILLISECONDS = 30_000
const KEPT_MAX = 10_000
const PER_CALL_MAX = 200

/**
 * Init code of a call that creates nothing: it replaces each address word behind itself by the size of its code and returns them.
 * One call asks for as many payers as wait; a delegated key (EIP-7702) has code of 23 bytes here.
 */
const CODE_SIZES = Buffer.from(
  '6023380380602360003960005b818110601757506000f35b80513b8152602001600c56',
  'hex',
)

/** Tells plain keys from accounts with code. */
export interface PayerCode {
  /** Whether the address has code; an answer of "no" may be 30 s old. Throws NodeFailure. */
  hasCode(address: Address): Promise<boolean>
  /** The same, asked now, in one request with what is asked of the node beside it. */
  hasCodeNow(address: Address): Promise<boolean>
}

export function openPayerCode(
  transport: Pick<Transport, 'read' | 'readLast'>,
  clock: { nowMilliseconds(): number },
): PayerCode {
  const plainSince = new Map<Address, number>()
  const inBounds = askedAtMost(limits.nodeReadsMax)
  // A payment whose call runs is good only where the same node shows its token's code.
  const withCodeNow = shareCodes((make) => transport.readLast(make))
  // At the end of this tick, when the views of a verification are asked, too: they are one request.
  const withCodeSoon = shareCodes(async (make) => {
    await new Promise<void>((resolve) => setImmediate(resolve))
    return transport.read({ ...make(), hasGathered: true })
  })

  const hasCodeNow = (address: Address): Promise<boolean> => ask(address, withCodeNow)

  async function ask(address: Address, withCode: SharedCodes): Promise<boolean> {
    const askedAt = clock.nowMilliseconds()
    const found = (await inBounds(() => withCode(address))).has(address)
    plainSince.delete(address)
    if (!found) plainSince.set(address, askedAt)
    if (plainSince.size > KEPT_MAX) {
      for (const oldest of plainSince.keys()) {
        plainSince.delete(oldest)
        break
      }
    }
    return found
  }

  return {
    hasCodeNow,
    hasCode: async (address) => {
      const since = plainSince.get(address)
      const age = since === undefined ? -1 : clock.nowMilliseconds() - since
      return age >= 0 && age < LIFETIME_MILLISECONDS ? false : ask(address, withCodeSoon)
    },
  }
}

/** The addresses with code among those that are asked for together with this one. */
type SharedCodes = (address: Address) => Promise<ReadonlySet<Address>>

/** Lets whoever asks share a call, until `put` has it made: later, and once. */
function shareCodes(
  put: (make: () => Read<ReadonlySet<Address>>) => Promise<ReadonlySet<Address>>,
): SharedCodes {
  let asking:
    { readonly addresses: Set<Address>; readonly answer: ReturnType<typeof put> } | undefined
  return (address) => {
    if (asking === undefined || asking.addresses.size >= PER_CALL_MAX) {
      const addresses = new Set<Address>()
      const answer = put(() => {
        if (asking?.addresses === addresses) asking = undefined
        return codeRead([...addresses])
      })
      asking = { addresses, answer }
      // What is refused at once is never made.
      answer.catch(() => {
        if (asking?.addresses === addresses) asking = undefined
      })
    }
    asking.addresses.add(address)
    return asking.answer
  }
}

/** Which of these addresses have code, in one call. */
export function codeRead(addresses: readonly Address[]): Read<ReadonlySet<Address>> {
  const data = Buffer.concat([CODE_SIZES, ...addresses.map(addressWord)])
  return {
    method: 'eth_call',
    params: [{ data: hexBytes(data) }, 'latest'],
    parse: (result) => {
      const sizes = bytesFrom(result, 'code sizes')
      if (sizes.length !== addresses.length * WORD_BYTES) throw malformed('code sizes', 'length')
      return new Set(
        addresses.filter((_, index) =>
          sizes.subarray(index * WORD_BYTES, (index + 1) * WORD_BYTES).some((byte) => byte !== 0),
        ),
      )
    },
  }
}
