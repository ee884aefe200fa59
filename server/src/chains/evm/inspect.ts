import type { Inspected, Unreadable } from '../self-custody.ts'
import { ACCESS_LIST, settledKey, summaryOf } from './call-summary.ts'
import { unreadGas } from './gas-read.ts'
import type { Explain } from './markets/router-calls.ts'
import { keccak256 } from './keccak.ts'
import { recoverAddress } from './secp256k1.ts'
import { hashOf } from './sign.ts'
import { readWireTransaction } from './wire-transaction.ts'

/** What bytes ask of this chain, signed or not. Source: EIP-1559, EIP-2. */
export function inspectBytes(
  {
    chainId,
    tokens,
    explain,
  }: {
    readonly chainId: bigint
    readonly tokens: ReadonlySet<string>
    readonly explain?: Explain
  },
  bytes: Uint8Array,
): Inspected | Unreadable {
  const read = readWireTransaction(bytes)
  if (typeof read === 'string') return { ok: false, reason: read }
  if (read.chainId !== chainId) {
    return { ok: false, reason: `it is for chain id ${read.chainId}, not ${chainId}` }
  }
  const { signature, payload, nonce, gas, fees, hasAccessList } = read
  const signer = signature === null ? null : recoverAddress(keccak256(payload), signature)
  if (signer === undefined) return { ok: false, reason: 'its signature is not valid' }
  const extras = [...(hasAccessList ? [ACCESS_LIST] : []), ...unreadGas(read, gas, explain)]
  return {
    ok: true,
    format: 'eip1559-rlp',
    isSigned: signer !== null,
    hash: signer === null ? null : hashOf(bytes),
    sender: signer,
    nonce,
    blockhash: null,
    feeMax: gas * fees.maxFeePerGas,
    summary: summaryOf({ ...read, from: signer, extras }, tokens, explain),
    proofKey: settledKey(read),
  }
}
