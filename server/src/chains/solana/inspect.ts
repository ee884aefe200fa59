import type { Address } from '../chain.ts'
import type { Inspected, Unreadable } from '../self-custody.ts'
import { isSignedBy } from './ed25519.ts'
import type { Facts } from './facts.ts'
import { summaryOf } from './instruction-summary.ts'
import { messageKey } from './message-key.ts'
import { hashOf } from './sign.ts'
import { readWireTransaction } from './wire-transaction.ts'

const VERSION_0 = 0x80
/** First byte of a transaction of version 1, whose message stands before its signatures. Source: SIMD-0385. */
const VERSION_1 = 0x81

/** What bytes ask of the chain, signed, partly signed or not. Which cluster they are for is in their blockhash alone. */
export function inspectBytes(
  { facts }: { readonly facts: Pick<Facts, 'tokenAccount'> },
  bytes: Uint8Array,
  wallets: readonly Address[] = [],
): Inspected | Unreadable {
  if (bytes[0] === VERSION_1) {
    return { ok: false, reason: 'it is of version 1, and only those of version 0 are read' }
  }
  const read = readWireTransaction(bytes)
  if (read === undefined) {
    return { ok: false, reason: 'its bytes are cut off, damaged or followed by others' }
  }
  const { signers, signatures, message, instructions, usesLookupTables, blockhash } = read
  if (message[0] !== VERSION_0) return { ok: false, reason: 'it is not of version 0' }
  const isMissing = (index: number) => signatures[index]?.every((byte) => byte === 0) !== false
  const isWrong = signers.some((signer, index) => {
    const signature = signatures[index]
    return signature !== undefined && !isMissing(index) && !isSignedBy(signer, message, signature)
  })
  if (isWrong) return { ok: false, reason: "a signature is not its signer's over these bytes" }
  const { summary, feeMax } = summaryOf(
    {
      signers,
      usesLookupTables,
      instructions: instructions.map(({ data, ...each }) => ({
        ...each,
        data: (length) => (data.length === length ? data : undefined),
      })),
    },
    facts,
    wallets,
  )
  const isSigned = signers.every((_, index) => !isMissing(index))
  return {
    ok: true,
    format: 'solana-v0',
    isSigned,
    hash: isSigned ? hashOf(bytes) : null,
    sender: summary.feePayer,
    nonce: null,
    blockhash,
    feeMax,
    summary,
    proofKey: messageKey(message),
  }
}
