import type { Address, TransferOrder } from '../chain.ts'
import { addressBytes } from './account.ts'

/** A call to the chain: what a transaction does, without fees and place. */
export interface Call {
  readonly to: Address
  readonly value: bigint
  readonly data: Uint8Array
}

/** First four bytes of keccak-256 of "florin.transfer.v1": says that a commitment follows. */
export const COMMITMENT_TAG = Uint8Array.of(0x9f, 0xde, 0x40, 0x14)

export const COMMITMENT_BYTES = 32
const WORD_BYTES = 32
/** ERC-20 transfer(address,uint256). */
export const TRANSFER = Uint8Array.of(0xa9, 0x05, 0x9c, 0xbb)

/**
 * The call that moves an order's amount. With its commitment: tag and commitment are the call data of a native
 * transfer, or follow the arguments of the token's call, which a token with `takesCommitment` does not read.
 */
export function transferCall(
  order: TransferOrder,
  token: Address | undefined,
  withCommitment: boolean,
): Call {
  const tail = withCommitment ? commitmentData(order.commitment) : new Uint8Array()
  if (token === undefined) return { to: order.recipient, value: order.amount, data: tail }
  const data = Buffer.concat([
    TRANSFER,
    word(addressBytes(order.recipient)),
    amountWord(order),
    tail,
  ])
  return { to: token, value: 0n, data }
}

/** Tag and commitment, as they follow a call's own data. */
export function commitmentData(commitment: Uint8Array): Uint8Array {
  if (commitment.length !== COMMITMENT_BYTES) throw new RangeError('a commitment has 32 bytes')
  return Buffer.concat([COMMITMENT_TAG, commitment])
}

function amountWord({ amount }: TransferOrder): Uint8Array {
  return Buffer.from(amount.toString(16).padStart(WORD_BYTES * 2, '0'), 'hex')
}

function word(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([new Uint8Array(WORD_BYTES - bytes.length), bytes])
}
