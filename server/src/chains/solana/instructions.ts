import type { Address } from '../chain.ts'
import { fieldsFrom, listFrom, malformed } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import { indexFrom, textFrom } from './answer.ts'
import { readBase58 } from './base58.ts'
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
  return listFrom(message['instructions'], 'instructions').map((each, index) =>
    calledFrom(each, index, accounts),
  )
}

/** An instruction that a program called is counted by its place among those of the signed one, in steps above all of these. */
export const INNER_STEP = 1_000

/** All instructions in the order in which they ran: each signed one, and after it those that programs called because of it. */
export function allInstructions(
  message: Fields,
  meta: Fields,
  accounts: readonly Address[],
): readonly Called[] {
  const inner = new Map(
    listFrom(meta['innerInstructions'] ?? [], 'inner instructions').map((each) => {
      const fields = fieldsFrom(each, 'inner instructions')
      const within = listFrom(fields['instructions'], 'inner instructions')
      return [indexFrom(fields['index'], 'instruction index'), within] as const
    }),
  )
  return topLevelInstructions(message, accounts).flatMap((called) => [
    called,
    ...(inner.get(called.index) ?? []).map((each, place) =>
      calledFrom(each, called.index + (place + 1) * INNER_STEP, accounts),
    ),
  ])
}

function calledFrom(value: unknown, index: number, accounts: readonly Address[]): Called {
  const named = (place: unknown): Address => {
    const account = accounts[indexFrom(place, 'account index')]
    if (account === undefined) throw malformed('account index', place)
    return account
  }
  const fields = fieldsFrom(value, 'instruction')
  return {
    index,
    program: named(fields['programIdIndex']),
    accounts: listFrom(fields['accounts'], 'instruction accounts').map(named),
    data: textFrom(fields['data'], 'instruction data'),
  }
}

const SYSTEM_TRANSFER = 2
const TRANSFER_BYTES = 12
const LAMPORTS_AT = 4
/** Longer data are not read: base58 takes time, and a transaction may hold 64 instructions of 10 KB. */
const DATA_BYTES_MAX = 256

/** The lamports that an account sent to others by plain transfers. */
export function lamportsMoved(called: readonly Called[], sender: Address): bigint {
  return called
    .flatMap(lamportTransfer)
    .filter(({ from, to }) => from === sender && to !== sender)
    .reduce((moved, { lamports }) => moved + lamports, 0n)
}

/**
 * The plain transfer of lamports that an instruction is; nothing for any other. The program passes over whatever stands behind the data that it reads.
 * Source: System program, `Transfer`; Agave, `limited_deserialize`.
 */
export function lamportTransfer({ program, accounts, data }: Called): readonly {
  readonly from: Address
  readonly to: Address
  readonly lamports: bigint
}[] {
  const [from, to] = accounts
  if (program !== SYSTEM_PROGRAM || from === undefined || to === undefined) return []
  const bytes = readBase58(data, DATA_BYTES_MAX)
  if (bytes === undefined || bytes.length < TRANSFER_BYTES) return []
  const view = Buffer.from(bytes)
  if (view.readUInt32LE(0) !== SYSTEM_TRANSFER) return []
  return [{ from, to, lamports: view.readBigUInt64LE(LAMPORTS_AT) }]
}
