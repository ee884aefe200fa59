const PREFIX = 'florin1:'
const COMMITMENT_BYTES = 32
const MEMO = /^florin1:([0-9a-f]{64})$/

/** The memo that puts a transfer's commitment on Solana. Throws RangeError when the commitment has not 32 bytes. */
export function transferMemo(commitment: Uint8Array): string {
  if (commitment.length !== COMMITMENT_BYTES) throw new RangeError('a commitment has 32 bytes')
  const digits = Array.from(commitment, (byte) => byte.toString(16).padStart(2, '0'))
  return PREFIX + digits.join('')
}

/** The commitment that a memo carries; undefined for every text that `transferMemo` does not write. */
export function parseTransferMemo(memo: string): Uint8Array | undefined {
  const digits = MEMO.exec(memo)?.[1]
  if (digits === undefined) return undefined
  return Uint8Array.from({ length: COMMITMENT_BYTES }, (_, index) =>
    Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16),
  )
}
