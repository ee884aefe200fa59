import type { StoredInner, TokenBalance } from '../chain/transaction-record.ts'
import type { RpcValue } from '../rpc-json.ts'
import { decodedBase58 } from './params.ts'
import { parsedInstruction } from './parsed-instruction.ts'

/** An instruction with its accounts as numbers, and its data in base58. */
export interface CompiledInstruction {
  readonly programIdIndex: number
  readonly accounts: readonly number[]
  readonly data: string
  readonly stackHeight: number | null
}

export type InstructionView = (instruction: CompiledInstruction) => RpcValue

/** Shows instructions: as they are, or in words where the program is known. */
export function parserFor(keys: readonly string[], isParsed: boolean): InstructionView {
  if (!isParsed) return (instruction) => ({ ...instruction })
  return ({ programIdIndex, accounts, data, stackHeight }) => {
    const programId = keys[programIdIndex] ?? ''
    const addresses = accounts.map((index) => keys[index] ?? '')
    const parsed = parsedInstruction(programId, addresses, decodedBase58(data) ?? new Uint8Array())
    if (parsed !== undefined) return { ...parsed, programId, stackHeight }
    return { programId, accounts: addresses, data, stackHeight }
  }
}

export function innerView(inner: readonly StoredInner[], view: InstructionView): RpcValue {
  return inner.map(({ index, instructions }) => ({ index, instructions: instructions.map(view) }))
}

export function plainBalance(balance: TokenBalance): RpcValue {
  return { ...balance, uiTokenAmount: { ...balance.uiTokenAmount } }
}
