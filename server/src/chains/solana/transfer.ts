import type { Address } from '../chain.ts'
import type { Instruction } from './message.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  MEMO_PROGRAM,
  SYSTEM_PROGRAM,
} from './programs.ts'

/** How a token moves: from and to are token accounts, the two wallets' own ones for the mint. */
export interface TokenRoute {
  readonly mint: Address
  readonly program: Address
  readonly decimals: number
  readonly from: Address
  readonly to: Address
  /** The sender makes the recipient's token account first, and pays its rent. */
  readonly createsAccount: boolean
}

/** What a transaction does, without fees and lifetime. */
export interface Transfer {
  readonly sender: Address
  readonly recipient: Address
  readonly amount: bigint
  /** Left out, lamports move. */
  readonly token?: TokenRoute
  /** `florin1:` and the commitment. */
  readonly memo: string
}

/** What the network may spend on a transaction. Source: Compute Budget program. */
export interface Budget {
  /** Compute units, at most. */
  readonly units: bigint
  /** Priority fee per compute unit, in millionths of a lamport. */
  readonly pricePerUnit: bigint
}

const SET_COMPUTE_UNIT_LIMIT = 2
const SET_COMPUTE_UNIT_PRICE = 3
const SYSTEM_TRANSFER = 2
const CREATE_IDEMPOTENT = 1
const TRANSFER_CHECKED = 12

/** The instructions of a transfer in the order in which they run. Throws RangeError on an amount above 64 bits. */
export function transferInstructions(transfer: Transfer, budget: Budget): readonly Instruction[] {
  return [
    ...budgetInstructions(budget),
    ...accountInstructions(transfer),
    moveInstruction(transfer),
    { program: MEMO_PROGRAM, accounts: [], data: Buffer.from(transfer.memo, 'utf8') },
  ]
}

/** What the network may take for a transaction. */
export function budgetInstructions({ units, pricePerUnit }: Budget): readonly Instruction[] {
  const budget = (data: Uint8Array): Instruction => ({
    program: COMPUTE_BUDGET_PROGRAM,
    accounts: [],
    data,
  })
  const limit = budget(Buffer.concat([Uint8Array.of(SET_COMPUTE_UNIT_LIMIT), u32(units)]))
  if (pricePerUnit === 0n) return [limit]
  return [limit, budget(Buffer.concat([Uint8Array.of(SET_COMPUTE_UNIT_PRICE), u64(pricePerUnit)]))]
}

function accountInstructions({ sender, recipient, token }: Transfer): readonly Instruction[] {
  if (token?.createsAccount !== true) return []
  return [createAccountInstruction(sender, recipient, token.to, token)]
}

/** An owner's associated account. Harmless when somebody else has made it in the meantime. */
export function createAccountInstruction(
  payer: Address,
  owner: Address,
  account: Address,
  { mint, program }: Pick<TokenRoute, 'mint' | 'program'>,
): Instruction {
  return {
    program: ASSOCIATED_TOKEN_PROGRAM,
    accounts: [
      { address: payer, isWritable: true },
      { address: account, isWritable: true },
      { address: owner, isWritable: false },
      { address: mint, isWritable: false },
      { address: SYSTEM_PROGRAM, isWritable: false },
      { address: program, isWritable: false },
    ],
    data: Uint8Array.of(CREATE_IDEMPOTENT),
  }
}

function moveInstruction({ sender, recipient, amount, token }: Transfer): Instruction {
  if (token === undefined) {
    return {
      program: SYSTEM_PROGRAM,
      accounts: [
        { address: sender, isWritable: true },
        { address: recipient, isWritable: true },
      ],
      data: Buffer.concat([u32(BigInt(SYSTEM_TRANSFER)), u64(amount)]),
    }
  }
  return {
    program: token.program,
    accounts: [
      { address: token.from, isWritable: true },
      { address: token.mint, isWritable: false },
      { address: token.to, isWritable: true },
      { address: sender, isWritable: false },
    ],
    data: Buffer.concat([
      Uint8Array.of(TRANSFER_CHECKED),
      u64(amount),
      Uint8Array.of(token.decimals),
    ]),
  }
}

function u32(value: bigint): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(Number(value))
  return bytes
}

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}
