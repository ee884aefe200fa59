import type { ApprovalTransaction } from '@florin/wire/x402/approval-transaction.ts'
import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { Address, TransactionHash } from '../chain.ts'
import { addressFromBytes } from './account.ts'
import { hexBytes } from './hex.ts'
import { keccak256 } from './keccak.ts'
import { APPROVE } from './markets/allowance.ts'
import { PERMIT2 } from './permit2.ts'
import type { Permit2Authorization } from './permit2.ts'
import { recoverAddress } from './secp256k1.ts'
import { hashOf } from './sign.ts'
import { readWireTransaction } from './wire-transaction.ts'

/** A payer's own transaction that lets Permit2 move a token. Fees in wei per gas. */
export interface PayerApproval {
  readonly raw: Uint8Array
  readonly hash: TransactionHash
  readonly data: Uint8Array
  readonly nonce: bigint
  readonly gas: bigint
  readonly maxFeePerGas: bigint
}

export type ApprovalRead =
  | { readonly ok: true; readonly approval: PayerApproval }
  | { readonly ok: false; readonly reason: Reason }

/** What an approval may take: listed tokens take some 50,000, stock clients give 70,000. Where new state is dear it takes 88,000 more (decision 0113). */
const APPROVAL_GAS_MAX = 250_000n
/** Below it some nodes begin with nothing and say so in words of their own, as if they were at fault: its bytes alone take 23,720. Source: EIP-7623. */
const APPROVAL_GAS_MIN = 25_000n
const SELECTOR_BYTES = 4
const WORD_BYTES = 32
const ADDRESS_AT = 12

/**
 * Reads what a payer says of its approval, and the signed bytes against it and against the payment: they do one thing only, on this chain, by
 * the payer's key. In the order of the reference (`validateErc20ApprovalForPayment`), and after it what the reference does not look at.
 */
export function readApproval(
  said: ApprovalTransaction | 'malformed',
  payment: Pick<Permit2Authorization, 'from' | 'token' | 'value'>,
  chainId: bigint,
): ApprovalRead {
  const { from, token, value } = payment
  if (said === 'malformed') return no('invalid_erc20_approval_extension_format')
  if (said.from !== from) return no('erc20_approval_from_mismatch')
  if (said.asset !== token) return no('erc20_approval_asset_mismatch')
  if (said.spender !== PERMIT2) return no('erc20_approval_spender_not_permit2')
  const raw = Buffer.from(said.signedTransaction.slice(2), 'hex')
  const read = readWireTransaction(raw)
  if (typeof read === 'string' || read.signature === null) {
    return no('erc20_approval_tx_parse_failed')
  }
  if (read.to !== token) return no('erc20_approval_tx_wrong_target')
  const { data, signature, payload, nonce, gas, fees } = read
  if (hexBytes(data.subarray(0, SELECTOR_BYTES)) !== `0x${APPROVE}`) {
    return no('erc20_approval_tx_wrong_selector')
  }
  const [spender, amount] = argumentsOf(data)
  if (spender === undefined || amount === undefined) return no('erc20_approval_tx_invalid_calldata')
  if (spender !== PERMIT2) return no('erc20_approval_tx_wrong_spender')
  const signer = recoverAddress(keccak256(payload), signature)
  if (signer === undefined) return no('erc20_approval_tx_invalid_signature')
  if (signer !== from) return no('erc20_approval_tx_signer_mismatch')
  if (read.chainId !== chainId) return no('erc20_approval_tx_wrong_chain')
  if (amount !== said.amount || amount < value) return no('erc20_approval_tx_wrong_amount')
  const isBounded = gas >= APPROVAL_GAS_MIN && gas <= APPROVAL_GAS_MAX
  if (read.value !== 0n || read.hasAccessList || !isBounded) {
    return no('erc20_approval_tx_unfit')
  }
  const { maxFeePerGas } = fees
  return { ok: true, approval: { raw, hash: hashOf(raw), data, nonce, gas, maxFeePerGas } }
}

/** An approval that was read before, from the books. Throws when it is none: a bug. */
export function restoredApproval(raw: Uint8Array): PayerApproval {
  const read = readWireTransaction(raw)
  if (typeof read === 'string') throw new Error('a stored approval that is none')
  const { data, nonce, gas, fees } = read
  return { raw, hash: hashOf(raw), data, nonce, gas, maxFeePerGas: fees.maxFeePerGas }
}

/** Spender and amount of `approve`, where the data is those and no more. */
function argumentsOf(data: Uint8Array): readonly [Address?, bigint?] {
  const [first, second] = [0, 1].map((at) => {
    const from = SELECTOR_BYTES + at * WORD_BYTES
    return data.subarray(from, from + WORD_BYTES)
  })
  if (data.length !== SELECTOR_BYTES + 2 * WORD_BYTES) return []
  if (first === undefined || second === undefined) return []
  if (first.subarray(0, ADDRESS_AT).some((byte) => byte !== 0)) return []
  return [addressFromBytes(first.subarray(ADDRESS_AT)), BigInt(hexBytes(second))]
}

function no(reason: Reason): ApprovalRead {
  return { ok: false, reason }
}
