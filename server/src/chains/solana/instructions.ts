import type { Address } from '../chain.ts'
import { fieldsFrom, listFrom, malformed } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import { indexFrom, textFrom } from './answer.ts'
import { decodeBase58 } from './base58.ts'
import { SYSTEM_PROGRAM } from './programs.ts'

/** An instruction of a transaction that the chain shows, its accounts looked up. */
export interface Called {
  readonly index: number
  readonly program: Address
  readonly accounts: readonly Address[]
  /** Left undecoded: most are never asked. */
  readonly data: string
}

/** The instructions that the sender signed, in order; those that programs called in turn are not among them. */
export function topLevelInstructions(
  message: Fields,
  accounts: readonly Address[],
): readonly Called[] {
  const named = (place: unknown): Address => {
    const account = accounts[indexFrom(place, 'account index')]
    if (account === undefined) throw malformed('account index', place)
    return account
  }
  return listFrom(message['instructions'], 'instructions').map((each, index) => {
    const fields = fieldsFrom(each, 'instruction')
    return {
      index,
      program: named(fields['programIdIndex']),
      accounts: listFrom(fields['accounts'], 'instruction accounts').map(named),
      data: textFrom(fields['data'], 'instruction data'),
    }
  })
}

const SYSTEM_TRANSFER = 2
const TRANSFER_BYTES = 12
const LAMPORTS_AT = 4

/** The lamports that an account sent to others by plain transfers. */
export function lamportsMoved(called: readonly Called[], sender: Address): bigint {
  let moved = 0n
  for (const { program, accounts, data } of called) {
    const [from, to] = accounts
    if (program !== SYSTEM_PROGRAM || from !== sender || to === sender) continue
    const bytes = decodeBase58(data, TRANSFER_BYTES)
    if (bytes === undefined) continue
    const view = Buffer.from(bytes)
    if (view.readUInt32LE(0) === SYSTEM_TRANSFER) moved += view.readBigUInt64LE(LAMPORTS_AT)
  }
  return moved
}
