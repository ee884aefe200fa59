import type { Address, TokenTransfer } from '../chain.ts'
import { fieldsFrom, listFrom, malformed } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import { addressFrom, amountFrom, indexFrom } from './answer.ts'
import { readBase58 } from './base58.ts'
import type { Called } from './instructions.ts'
import { isPaidInto, ownerBefore } from './paid-into.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts'

/** What an instruction says that it moves, between token accounts. */
export interface Move {
  readonly index: number
  readonly program: Address
  readonly from: Address
  readonly to: Address
  readonly declared: bigint
}

/** A token account around a transaction. One that did not exist before, or not after, held nothing then. */
export interface Holding {
  readonly mint: Address
  /** The last that is known: after the transaction, or before it where the account is gone. */
  readonly owner: Address
  /** Before the transaction; undefined when the account did not exist then. */
  readonly firstOwner: Address | undefined
  /** The token program that it belongs to; undefined where the node does not say. */
  readonly program: Address | undefined
  readonly before: bigint
  readonly after: bigint
}

const AMOUNT_BYTES = 8
/** Longer data are not read, though the programs take them: base58 takes time, and a transaction may hold 64 instructions of 10 KB. */
const DATA_BYTES_MAX = 256
const BATCH = 255
const HEADER_BYTES = 2
/** Parts of a batch are counted above all instructions, inner ones too: 64 run in one transaction, each of them counted in thousands. */
const PART_STEP = 100_000
const TOKEN_PROGRAMS = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]

/** Where the accounts and the amount stand in an instruction of a token program. Source: spl-token-2022, `TokenInstruction`. */
const SHAPES: readonly {
  readonly prefix: readonly number[]
  readonly bytes: number
  readonly toAt: number
}[] = [
  { prefix: [3], bytes: 9, toAt: 1 },
  { prefix: [12], bytes: 10, toAt: 2 },
  { prefix: [26, 1], bytes: 19, toAt: 2 },
]

/**
 * The token transfers among the sender's own instructions, whichever the mint, between owners, at what the recipient really got: a mint
 * may keep a part. Where several arrive at one account and do not add up, none is shown, since nobody can tell which fell short.
 */
export function tokenTransfers(
  meta: Fields,
  accounts: readonly Address[],
  called: readonly Called[],
): readonly TokenTransfer[] {
  const holdings = holdingsOf(meta, accounts)
  const moves = called.flatMap(movesOf)
  return moves.flatMap((move) => transferBy(move, moves, holdings))
}

/**
 * The same of a transaction in which a program acts for a wallet, which may do anything else beside: only what came to where an owner is
 * paid is shown, and as given by who owned the source when the transaction began.
 */
export function walletTransfers(
  meta: Fields,
  accounts: readonly Address[],
  called: readonly Called[],
): readonly TokenTransfer[] {
  const holdings = holdingsOf(meta, accounts)
  const moves = called.flatMap(movesOf)
  return moves.flatMap((move) => {
    const [from, to] = [holdings.get(move.from), holdings.get(move.to)]
    if (from === undefined || to === undefined) return []
    if (!isPaidInto(move.to, to, move.program)) return []
    return transferBy(move, moves, holdings).map((each) => ({ ...each, from: ownerBefore(from) }))
  })
}

function transferBy(
  move: Move,
  moves: readonly Move[],
  holdings: ReadonlyMap<Address, Holding>,
): readonly TokenTransfer[] {
  const [from, to] = [holdings.get(move.from), holdings.get(move.to)]
  if (from === undefined || to === undefined) return []
  const amount = receivedBy(move, moves, to)
  if (amount === undefined) return []
  return [{ asset: to.mint, from: from.owner, to: to.owner, amount, logIndex: move.index }]
}

/** What one move brought to its account: never more than it says, and less when the account did not grow by that. */
function receivedBy(move: Move, moves: readonly Move[], { before, after }: Holding) {
  const arriving = moves.filter(({ to }) => to === move.to)
  const sum = (list: readonly Move[]) => list.reduce((total, { declared }) => total + declared, 0n)
  const arrived = after - before + sum(moves.filter(({ from }) => from === move.to))
  if (arrived >= sum(arriving)) return move.declared
  if (arriving.length > 1) return undefined
  return arrived > 0n ? arrived : 0n
}

/**
 * What an instruction of a token program moves from one account to another, each part of a batch by itself; nothing for any other instruction.
 * The programs pass over whatever stands behind the data that they read.
 */
export function movesOf(called: Called): readonly Move[] {
  const { program, data } = called
  if (program !== TOKEN_PROGRAM && program !== TOKEN_2022_PROGRAM) return []
  const bytes = readBase58(data, DATA_BYTES_MAX)
  if (bytes?.[0] !== BATCH) return bytes === undefined ? [] : moveIn({ ...called, bytes })
  return partsOf({ ...called, bytes }).flatMap(moveIn)
}

/** An instruction with its data read. */
type Part = Pick<Called, 'index' | 'program' | 'accounts'> & { readonly bytes: Uint8Array }

/**
 * The instructions that a batch holds: of each how many accounts it takes of those of the batch, how many bytes, and these. Source: p-token,
 * `process_batch`.
 */
function partsOf({ index, program, accounts, bytes }: Part): readonly Part[] {
  const parts: Part[] = []
  let account = 0
  for (let at = 1; at + HEADER_BYTES <= bytes.length;) {
    const [takes = 0, length = 0] = bytes.subarray(at, at + HEADER_BYTES)
    at += HEADER_BYTES
    parts.push({
      index: index + (parts.length + 1) * PART_STEP,
      program,
      accounts: accounts.slice(account, account + takes),
      bytes: bytes.subarray(at, at + length),
    })
    account += takes
    at += length
  }
  return parts
}

function moveIn({ index, program, accounts, bytes }: Part): readonly Move[] {
  for (const { prefix, bytes: length, toAt } of SHAPES) {
    if (bytes.length < length || prefix.some((byte, at) => bytes[at] !== byte)) continue
    const [from, to] = [accounts[0], accounts[toAt]]
    if (from === undefined || to === undefined) return []
    const at = prefix.length
    const declared = Buffer.from(bytes.subarray(at, at + AMOUNT_BYTES)).readBigUInt64LE()
    return [{ index, program, from, to, declared }]
  }
  return []
}

/** Whether any of these instructions moves tokens. */
export function movesTokens(called: readonly Called[]): boolean {
  return called.some((each) => movesOf(each).length > 0)
}

/** Whether the node tells the token accounts around a transaction; where there are none, it tells that. */
export function keepsTokenBalances(meta: Fields): boolean {
  return (meta['preTokenBalances'] ?? null) !== null && (meta['postTokenBalances'] ?? null) !== null
}

/** The token accounts that a transaction touched, by address. Throws NodeFailure when the meta is malformed. */
export function holdingsOf(
  meta: Fields,
  accounts: readonly Address[],
): ReadonlyMap<Address, Holding> {
  const holdings = new Map<Address, Holding>()
  for (const [list, when] of [
    ['preTokenBalances', 'before'],
    ['postTokenBalances', 'after'],
  ] as const) {
    for (const entry of listFrom(meta[list] ?? [], list)) {
      const fields = fieldsFrom(entry, list)
      const account = accounts[indexFrom(fields['accountIndex'], list)]
      if (account === undefined) throw malformed(list, fields['accountIndex'])
      const amount = amountFrom(fieldsFrom(fields['uiTokenAmount'], list)['amount'], list)
      const owner = addressFrom(fields['owner'], 'owner')
      holdings.set(account, {
        before: 0n,
        after: 0n,
        firstOwner: when === 'before' ? owner : undefined,
        ...holdings.get(account),
        mint: addressFrom(fields['mint'], 'mint'),
        owner,
        program: TOKEN_PROGRAMS.find((program) => program === fields['programId']),
        [when]: amount,
      })
    }
  }
  return holdings
}
