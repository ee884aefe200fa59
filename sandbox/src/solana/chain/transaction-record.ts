import type { InnerInstruction } from './svm.ts'
import type { LoadedAddresses } from './account-keys.ts'
import type { StoredAccount } from './account.ts'
import { mintOf, tokenOf, uiTokenAmount } from './token-account.ts'
import type { UiTokenAmount } from './token-account.ts'
import type { TransactionError } from './transaction-error.ts'

export interface TokenBalance {
  readonly accountIndex: number
  readonly mint: string
  readonly owner: string
  readonly programId: string
  readonly uiTokenAmount: UiTokenAmount
}

/** A transaction that landed, with everything that is told about it later. */
export interface TransactionRecord {
  readonly signature: string
  readonly slot: number
  /** Unix seconds. */
  readonly time: number
  /** Base64. */
  readonly wire: string
  readonly messageHash: string
  readonly keys: readonly string[]
  readonly loaded: LoadedAddresses
  readonly error: TransactionError | null
  /** Lamports, in text. */
  readonly fee: string
  readonly units: string
  readonly preBalances: readonly string[]
  readonly postBalances: readonly string[]
  readonly preTokenBalances: readonly TokenBalance[]
  readonly postTokenBalances: readonly TokenBalance[]
  readonly logs: readonly string[]
  readonly inner: readonly StoredInner[]
  readonly returnData: { readonly programId: string; readonly data: string } | null
  /** As getSignaturesForAddress shows it. */
  readonly memo: string | null
}

/** Instructions that one instruction of the message called. */
export interface StoredInner {
  readonly index: number
  readonly instructions: readonly {
    readonly programIdIndex: number
    readonly accounts: readonly number[]
    /** Base58. */
    readonly data: string
    readonly stackHeight: number
  }[]
}

export function storedInner(
  inner: readonly (readonly InnerInstruction[])[],
  base58: (bytes: Uint8Array) => string,
): readonly StoredInner[] {
  return inner.flatMap((list, index) =>
    list.length === 0
      ? []
      : [{ index, instructions: list.map((one) => ({ ...one, data: base58(one.data) })) }],
  )
}

/** Token balances among a transaction's accounts. */
export function tokenBalances(
  keys: readonly string[],
  read: (address: string) => StoredAccount | undefined,
): readonly TokenBalance[] {
  return keys.flatMap((key, accountIndex) => {
    const account = read(key)
    const token = tokenOf(account)
    if (account === undefined || token === undefined) return []
    const mint = mintOf(read(token.mint))
    if (mint === undefined) return []
    return [
      {
        accountIndex,
        mint: token.mint,
        owner: token.owner,
        programId: account.owner,
        uiTokenAmount: uiTokenAmount(token.amount, mint.decimals),
      },
    ]
  })
}
