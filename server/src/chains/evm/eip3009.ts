import type { Eip3009Payload } from '@florin/wire/x402/eip3009-payload.ts'
import type { Address } from '../chain.ts'
import { proofKey } from '../exact.ts'
import type { ProofKey } from '../exact.ts'
import { addressArgument } from './arguments.ts'
import { addressWord, typeHash, uintWord, writeAddress, writeUint } from './eip712.ts'
import { hexBytes } from './hex.ts'
import { keccak256 } from './keccak.ts'
import type { View } from './multicall.ts'
import type { Call } from './transfer.ts'
import { dynamicBytes, unwrapSignature } from './wallet-signature.ts'
import type { Deployment } from './wallet-signature.ts'

const STRUCT_TYPE = typeHash(
  'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
)
/** transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32) */
export const TRANSFER_WITH_AUTHORIZATION = Uint8Array.of(0xe3, 0xee, 0x16, 0x0e)
/** transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes) */
const TRANSFER_WITH_SIGNATURE = Uint8Array.of(0xcf, 0x09, 0x29, 0x95)
const TRANSFER_WITH_SIGNATURE_WORDS = 7
/** authorizationState(address,bytes32) */
const AUTHORIZATION_STATE = 'e94a0102'
/** keccak-256 of AuthorizationUsed(address,bytes32). Source: EIP-3009. */
export const AUTHORIZATION_USED_TOPIC =
  '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5'
/** keccak-256 of AuthorizationCanceled(address,bytes32). Source: EIP-3009. */
export const AUTHORIZATION_CANCELED_TOPIC =
  '0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81'

const RS_BYTES = 64
const WORD_BYTES = 32
const V_OF_PARITY_0 = 27

/** An authorization with its addresses in the chain's spelling. Source: EIP-3009. */
export interface Authorization {
  readonly token: Address
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly validAfterSeconds: bigint
  readonly validBeforeSeconds: bigint
  /** 32 bytes. */
  readonly nonce: Uint8Array
  /** Of a plain key r, s and v: 65 bytes, low s. Of an account with code whatever it takes, without any wrapper. */
  readonly signature: Uint8Array
  /** What makes the payer's account, as the payer says (EIP-6492). */
  readonly deployment?: Deployment
}

/** What makes an authorization one and the same. `nonce`: 0x and lower-case hex. */
export function authorizationKey(
  { token, from }: Pick<Authorization, 'token' | 'from'>,
  nonce: string,
): ProofKey {
  return proofKey(`eip3009:${token}:${from}:${nonce}`)
}

/** The struct hash that the payer signed, under the token's domain. */
export function authorizationHash(
  authorization: Omit<Authorization, 'signature' | 'deployment'>,
): Uint8Array {
  const { from, to, value, validAfterSeconds, validBeforeSeconds, nonce } = authorization
  writeAddress(struct, WORD_BYTES, from)
  writeAddress(struct, 2 * WORD_BYTES, to)
  writeUint(struct, 3 * WORD_BYTES, value)
  writeUint(struct, 4 * WORD_BYTES, validAfterSeconds)
  writeUint(struct, 5 * WORD_BYTES, validBeforeSeconds)
  struct.set(nonce, 6 * WORD_BYTES)
  return keccak256(struct)
}

/** Of the authorization that is being hashed, which every verification does: words made and joined one by one take 1.5 us longer. */
const struct = Buffer.concat([STRUCT_TYPE, Buffer.alloc(6 * WORD_BYTES)])

/** The call that moves the money. v is 27 or 28, since tokens hand it to ecrecover as it is. */
export function settlingCall(authorization: Authorization): Call {
  const { signature } = authorization
  const data = Buffer.concat([
    TRANSFER_WITH_AUTHORIZATION,
    ...argumentWords(authorization),
    uintWord(BigInt(callV(signature))),
    signature.subarray(0, WORD_BYTES),
    signature.subarray(WORD_BYTES, RS_BYTES),
  ])
  return { to: authorization.token, value: 0n, data }
}

/** v of a plain key's signature as `ecrecover` takes it: 27 or 28. */
export function callV(signature: Uint8Array): number {
  const v = signature[RS_BYTES] ?? 0
  return v < V_OF_PARITY_0 ? v + V_OF_PARITY_0 : v
}

/** The same with the signature as it is, for accounts with code: their bytes may mean anything. Source: USDC 2.2. */
export function settlingCallByWallet(authorization: Authorization): Call {
  const data = Buffer.concat([
    TRANSFER_WITH_SIGNATURE,
    ...argumentWords(authorization),
    ...dynamicBytes(TRANSFER_WITH_SIGNATURE_WORDS, authorization.signature),
  ])
  return { to: authorization.token, value: 0n, data }
}

/** Whether the nonce is used or cancelled: 1 when it is. `absent` where the token has no such function. */
export function authorizationStateView(
  { token, from, nonce }: Pick<Authorization, 'token' | 'from' | 'nonce'>,
  absent: bigint,
): View {
  const data = AUTHORIZATION_STATE + addressArgument(from) + hexBytes(nonce).slice(2)
  return { target: token, data, absent }
}

function argumentWords(
  authorization: Omit<Authorization, 'signature' | 'deployment'>,
): Uint8Array[] {
  const { from, to, value, validAfterSeconds, validBeforeSeconds, nonce } = authorization
  return [
    addressWord(from),
    addressWord(to),
    uintWord(value),
    uintWord(validAfterSeconds),
    uintWord(validBeforeSeconds),
    nonce,
  ]
}

/** The payload's fields as the chain writes them. */
export function authorizationOf(payload: Eip3009Payload<Address>, token: Address): Authorization {
  const { from, to, value, validAfterSeconds, validBeforeSeconds, nonce, signature } = payload
  return {
    token,
    from,
    to,
    value,
    validAfterSeconds,
    validBeforeSeconds,
    nonce: Buffer.from(nonce.slice(2), 'hex'),
    ...unwrapSignature(Buffer.from(signature.slice(2), 'hex')),
  }
}
