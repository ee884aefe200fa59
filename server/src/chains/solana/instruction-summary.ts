import { parseTransferMemo } from '@florin/wire/transfer-memo.ts'
import type { Address } from '../chain.ts'
import type { SummaryTransfer, TransactionSummary } from '../self-custody.ts'
import { UNITS_MAX } from './compute.ts'
import type { Facts } from './facts.ts'
import { SIGNATURE_FEE, priorityFeeOf } from './fees.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  MEMO_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from './programs.ts'

/** An instruction whose data is read only at the lengths that somebody knows. */
export interface AskedInstruction {
  readonly program: Address
  readonly accounts: readonly Address[]
  /** The data when it has exactly so many bytes. */
  data(length: number): Uint8Array | undefined
}

export interface AskedTransaction {
  /** The first one pays the fee. */
  readonly signers: readonly Address[]
  readonly instructions: readonly AskedInstruction[]
  readonly usesLookupTables: boolean
}

const SET_COMPUTE_UNIT_LIMIT = 2
const SET_COMPUTE_UNIT_PRICE = 3
const SYSTEM_TRANSFER = 2
const TRANSFER_CHECKED = 12
const MEMO_BYTES = 72
/** What an instruction may use where no limit is set. Source: Agave, `DEFAULT_INSTRUCTION_COMPUTE_UNIT_LIMIT`. */
const UNITS_PER_INSTRUCTION = 200_000n

type Part =
  | { readonly kind: 'limit' | 'price'; readonly value: bigint }
  | { readonly kind: 'transfer'; readonly transfer: SummaryTransfer }
  | { readonly kind: 'commitment'; readonly commitment: string }
  | { readonly kind: 'account'; readonly made: TransactionSummary['createsAccounts'][number] }
  | { readonly kind: 'other'; readonly what: string }

/** What a transaction does and the most that the network takes for it, rent apart. */
export interface ReadInstructions {
  readonly summary: TransactionSummary
  readonly feeMax: bigint
}

/**
 * All that signed instructions do, each at its exact layout; whatever has another layout is said to be there. Token accounts are told as
 * their owner's where they are the associated ones of a signer, of a wallet that was named, or of whom an account is made for.
 */
export function summaryOf(
  transaction: AskedTransaction,
  facts: Pick<Facts, 'tokenAccount'>,
  wallets: readonly Address[],
): ReadInstructions {
  const { signers, instructions, usesLookupTables } = transaction
  const made = instructions.flatMap((each) => {
    const part = createdAccount(each, signers[0])
    return part?.kind === 'account' ? [part.made.owner] : []
  })
  const owners = [...new Set([...wallets, ...signers, ...made])]
  const parts = instructions.map((each) => partOf(each, { facts, owners, feePayer: signers[0] }))
  const transfers = parts.flatMap((part) => (part.kind === 'transfer' ? [part.transfer] : []))
  const commitments = parts.flatMap((part) => (part.kind === 'commitment' ? [part.commitment] : []))
  const createsAccounts = parts.flatMap((part) => (part.kind === 'account' ? [part.made] : []))
  const limits = parts.flatMap((part) => (part.kind === 'limit' ? [part.value] : []))
  const prices = parts.flatMap((part) => (part.kind === 'price' ? [part.value] : []))
  const others = [
    ...parts.flatMap((part) => (part.kind === 'other' ? [part.what] : [])),
    ...(limits.length > 1 || prices.length > 1 ? ['sets its compute budget twice'] : []),
    ...(usesLookupTables ? ['takes accounts from lookup tables, which hide what it does'] : []),
  ]
  const working = BigInt(parts.length - limits.length - prices.length)
  const byDefault = working * UNITS_PER_INSTRUCTION
  const units = limits[0] ?? (byDefault < UNITS_MAX ? byDefault : UNITS_MAX)
  const priority = priorityFeeOf({ units, pricePerUnit: prices[0] ?? 0n })
  return {
    summary: { feePayer: signers[0] ?? null, transfers, commitments, createsAccounts, others },
    feeMax: SIGNATURE_FEE * BigInt(signers.length) + priority,
  }
}

interface Known {
  readonly facts: Pick<Facts, 'tokenAccount'>
  readonly owners: readonly Address[]
  readonly feePayer: Address | undefined
}

function partOf(instruction: AskedInstruction, known: Known): Part {
  const found =
    budgetPart(instruction) ??
    memoPart(instruction) ??
    createdAccount(instruction, known.feePayer) ??
    lamportPart(instruction) ??
    tokenPart(instruction, known)
  return found ?? { kind: 'other', what: `calls ${instruction.program} in a way not known here` }
}

function budgetPart({ program, accounts, data }: AskedInstruction): Part | undefined {
  if (program !== COMPUTE_BUDGET_PROGRAM || accounts.length > 0) return undefined
  const [limit, price] = [data(5), data(9)]
  if (limit?.[0] === SET_COMPUTE_UNIT_LIMIT) {
    return { kind: 'limit', value: BigInt(Buffer.from(limit).readUInt32LE(1)) }
  }
  if (price?.[0] === SET_COMPUTE_UNIT_PRICE) {
    return { kind: 'price', value: Buffer.from(price).readBigUInt64LE(1) }
  }
  return undefined
}

function memoPart({ program, accounts, data }: AskedInstruction): Part | undefined {
  if (program !== MEMO_PROGRAM) return undefined
  const bytes = accounts.length === 0 ? data(MEMO_BYTES) : undefined
  const commitment = bytes && parseTransferMemo(Buffer.from(bytes).toString('latin1'))
  return commitment === undefined
    ? { kind: 'other', what: 'carries another memo' }
    : { kind: 'commitment', commitment: Buffer.from(commitment).toString('hex') }
}

/** Both ways of making an associated account: only where it is missing, and in any case. The fee payer must be who pays for it. */
function createdAccount(
  { program, accounts, data }: AskedInstruction,
  feePayer: Address | undefined,
): Part | undefined {
  if (program !== ASSOCIATED_TOKEN_PROGRAM || accounts.length !== 6) return undefined
  const kind = data(0) === undefined ? data(1)?.[0] : 0
  const [payer, account, owner, asset] = accounts
  if ((kind !== 0 && kind !== 1) || payer !== feePayer) return undefined
  if (account === undefined || owner === undefined || asset === undefined) return undefined
  return { kind: 'account', made: { account, owner, asset } }
}

function lamportPart({ program, accounts, data }: AskedInstruction): Part | undefined {
  const bytes = program === SYSTEM_PROGRAM ? data(12) : undefined
  const [from, to] = accounts
  if (bytes === undefined || accounts.length !== 2) return undefined
  if (from === undefined || to === undefined) return undefined
  const view = Buffer.from(bytes)
  if (view.readUInt32LE(0) !== SYSTEM_TRANSFER) return undefined
  const amount = view.readBigUInt64LE(4)
  return { kind: 'transfer', transfer: { asset: 'native', from, to, amount } }
}

/** Exactly four accounts: more are signers of a multisignature or what a transfer hook wants. */
function tokenPart(
  { program, accounts, data }: AskedInstruction,
  { facts, owners }: Known,
): Part | undefined {
  if (program !== TOKEN_PROGRAM && program !== TOKEN_2022_PROGRAM) return undefined
  const bytes = data(10)
  const [source, mint, destination, authority] = accounts
  if (bytes?.[0] !== TRANSFER_CHECKED || accounts.length !== 4) return undefined
  if (source === undefined || mint === undefined) return undefined
  if (destination === undefined || authority === undefined) return undefined
  const accountOf = (owner: Address) =>
    facts.tokenAccount(owner, { address: mint, program }).address
  if (accountOf(authority) !== source) {
    return { kind: 'other', what: `moves tokens out of ${source}, which is not its signer's own` }
  }
  const to = owners.find((owner) => accountOf(owner) === destination) ?? destination
  const amount = Buffer.from(bytes).readBigUInt64LE(1)
  return { kind: 'transfer', transfer: { asset: mint, from: authority, to, amount } }
}
