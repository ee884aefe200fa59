import {
  TRANSACTION_CONFIG_COMPUTE_UNIT_LIMIT_BIT_MASK as UNIT_LIMIT,
  TRANSACTION_CONFIG_HEAP_SIZE_BIT_MASK as HEAP_SIZE,
  TRANSACTION_CONFIG_LOADED_ACCOUNTS_DATA_SIZE_LIMIT_BIT_MASK as DATA_SIZE_LIMIT,
  TRANSACTION_CONFIG_PRIORITY_FEE_LAMPORTS_BIT_MASK as PRIORITY_FEE,
} from '@solana/kit'
import type {
  CompiledTransactionMessage,
  CompiledTransactionMessageWithLifetime,
} from '@solana/kit'

/** A message that this chain takes: legacy, version 0 or version 1. */
export type Message = CompiledTransactionMessage & CompiledTransactionMessageWithLifetime

/** An instruction of a message, its accounts as places among the message's accounts. */
export interface MessageInstruction {
  readonly program: number
  readonly accounts: readonly number[]
  readonly data: Uint8Array
}

/** What a message of version 1 asks for beside its instructions; null is what it leaves out. Priority in lamports, sizes in bytes. */
export interface TransactionConfig {
  readonly priorityFee: bigint | null
  readonly computeUnitLimit: bigint | null
  readonly loadedAccountsDataSizeLimit: bigint | null
  readonly heapSize: bigint | null
}

/** The instructions in order, whichever version tells them. */
export function instructionsOf(message: Message): readonly MessageInstruction[] {
  if (message.version !== 1) {
    return message.instructions.map(({ programAddressIndex, accountIndices, data }) => ({
      program: programAddressIndex,
      accounts: accountIndices ?? [],
      data: Uint8Array.from(data ?? []),
    }))
  }
  return message.instructionHeaders.map(({ programAccountIndex }, index) => {
    const payload = message.instructionPayloads[index]
    return {
      program: programAccountIndex,
      accounts: payload?.instructionAccountIndices ?? [],
      data: Uint8Array.from(payload?.instructionData ?? []),
    }
  })
}

/** The configuration of a message of version 1; undefined for every other. Source: SIMD-0385, "TransactionConfigMask". */
export function transactionConfig(message: Message): TransactionConfig | undefined {
  if (message.version !== 1) return undefined
  const values = message.configValues.values()
  // The values stand in the order of their bits.
  const next = (mask: number): bigint | null => {
    if ((message.configMask & mask) === 0) return null
    const { value } = values.next()
    return value === undefined ? null : BigInt(value.value)
  }
  return {
    priorityFee: next(PRIORITY_FEE),
    computeUnitLimit: next(UNIT_LIMIT),
    loadedAccountsDataSizeLimit: next(DATA_SIZE_LIMIT),
    heapSize: next(HEAP_SIZE),
  }
}
