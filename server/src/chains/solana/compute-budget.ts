import { COMPUTE_BUDGET_PROGRAM } from './programs.ts'
import type { WireInstruction } from './wire-transaction.ts'

const SET_COMPUTE_UNIT_LIMIT = 2
const SET_COMPUTE_UNIT_PRICE = 3

/** The compute units that an instruction sets as the limit; undefined when it is not exactly that. */
export function unitLimit(instruction: WireInstruction | undefined): bigint | undefined {
  const data = budgetData(instruction, SET_COMPUTE_UNIT_LIMIT, 5)
  return data === undefined ? undefined : BigInt(data.readUInt32LE(1))
}

/** The price per unit that an instruction sets, in millionths of a lamport; undefined when it is not exactly that. */
export function unitPrice(instruction: WireInstruction | undefined): bigint | undefined {
  return budgetData(instruction, SET_COMPUTE_UNIT_PRICE, 9)?.readBigUInt64LE(1)
}

function budgetData(
  instruction: WireInstruction | undefined,
  kind: number,
  bytes: number,
): Buffer | undefined {
  if (instruction?.program !== COMPUTE_BUDGET_PROGRAM || instruction.accounts.length > 0) {
    return undefined
  }
  const data = Buffer.from(instruction.data)
  return data.length === bytes && data[0] === kind ? data : undefined
}
