import type { Clock } from '../../kernel/clock.ts'
import type { Address } from '../chain.ts'
import { shareCalls } from '../json-rpc/share-calls.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { accountsRead } from './accounts.ts'
import type { Account } from './accounts.ts'

/** What nodes allow in one call. Source: solana.com/docs/rpc, `getMultipleAccounts`. */
const ACCOUNTS_PER_CALL_MAX = 100
/** Twenty-five payments fit into one call, so a node that takes a second still serves 200 of them in it. */
const CALLS_MAX = 8

/** Reads accounts of whoever asks at the same moment in shared calls. */
export interface AccountPool {
  /** The beginnings of accounts, those of one asker at one slot; undefined for one that does not exist. Throws NodeFailure. */
  read(addresses: readonly Address[]): Promise<readonly (Account | undefined)[]>
}

export function openAccountPool(
  transport: Pick<Transport, 'read'>,
  clock: Pick<Clock, 'sleep'>,
): AccountPool {
  async function ask(
    askers: readonly (readonly Address[])[],
  ): Promise<readonly (readonly (Account | undefined)[])[]> {
    const addresses = [...new Set(askers.flat())]
    const asked = accountsRead(addresses)
    const { accounts } = await transport.read({ ...asked, isUnique: true, hasGathered: true })
    const found = new Map(addresses.map((address, index) => [address, accounts[index]]))
    return askers.map((asked) => asked.map((address) => found.get(address)))
  }

  const sizeOf = (addresses: readonly Address[]): number => addresses.length
  return {
    read: shareCalls({
      clock,
      sizeOf,
      callSizeMax: ACCOUNTS_PER_CALL_MAX,
      callsMax: CALLS_MAX,
      ask,
    }),
  }
}
