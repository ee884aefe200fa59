import type { Address } from '@solana/kit'

/** An account as the chain keeps it. One without lamports does not exist. */
export interface StoredAccount {
  readonly lamports: bigint
  readonly owner: Address
  readonly executable: boolean
  readonly data: Uint8Array
}

export function isSameAccount(
  left: StoredAccount | undefined,
  right: StoredAccount | undefined,
): boolean {
  if (left === undefined || right === undefined) return left === right
  return (
    left.lamports === right.lamports &&
    left.owner === right.owner &&
    left.executable === right.executable &&
    Buffer.compare(left.data, right.data) === 0
  )
}
