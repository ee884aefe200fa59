import type { Address } from '../chain.ts'
import { proofKey } from '../exact.ts'
import type { ProofKey } from '../exact.ts'
import { addressFromBytes } from './account.ts'
import { addressWord, typedDataDigest, typeHash, uintWord } from './eip712.ts'
import { hexBytes } from './hex.ts'
import { keccak256 } from './keccak.ts'
import type { View } from './multicall.ts'
import type { PayerApproval } from './permit2-approval.ts'
import type { Call } from './transfer.ts'
import { dynamicBytes } from './wallet-signature.ts'

/** Which scheme a payment by Permit2 is of: each has a spender of its own. */
export type Permit2Scheme = 'exact' | 'upto'

/** Permit2, and the spenders of x402 through it, at the same addresses on every network. Source: @x402/evm 2.27. */
export const PERMIT2 = contractAt('000000000022d473030f116ddee9f6b43ac78ba3')
export const PROXIES = {
  exact: contractAt('402085c248eea27d92e8b30b2c58ed07f9e20001'),
  upto: contractAt('4020a4f3b7b90cca423b9fabcc0ce57c6c240002'),
} as const satisfies Record<Permit2Scheme, Address>

const WITNESS_TYPES = {
  exact: 'Witness(address to,uint256 validAfter)',
  upto: 'Witness(address to,address facilitator,uint256 validAfter)',
} as const
/** As it is told within the types that hold it. */
export const PERMISSIONS_TYPE = 'TokenPermissions(address token,uint256 amount)'
const PERMISSIONS_HASH = typeHash(PERMISSIONS_TYPE)
const HASHES = { exact: hashesOf('exact'), upto: hashesOf('upto') } as const
const DOMAIN_HASH = typeHash('EIP712Domain(string name,uint256 chainId,address verifyingContract)')
const NAME_HASH = keccak256(Buffer.from('Permit2', 'utf8'))

/** settle and settleWithPermit of each proxy, with the words of their arguments up to the signature's own offset. Source: @x402/evm 2.27. */
const CALLS = {
  exact: { settle: bytesOf('13cd3b53'), withPermit: bytesOf('fa340378'), words: 8 },
  upto: { settle: bytesOf('ff11e7b4'), withPermit: bytesOf('016c1748'), words: 10 },
} as const
/** Words of an EIP-2612 permit, which come first. */
const PERMIT_WORDS = 5
/** Where the other arguments stand behind it. */
const PLACES = {
  exact: { token: 0, value: 1, nonce: 2, owner: 4, receiver: 5 },
  upto: { token: 0, value: 4, nonce: 2, owner: 5, receiver: 6 },
} as const
const SELECTOR_BYTES = 4

/** nonceBitmap(address,uint256) of Permit2, allowance(address,address) of a token, and PERMIT2() of a proxy. */
const NONCE_BITMAP = '4fe02b44'
const ALLOWANCE = 'dd62ed3e'
const GET_PERMIT2 = '6afdd850'
/** keccak-256 of UnorderedNonceInvalidation(address,uint256,uint256). Source: Permit2. */
export const NONCES_INVALIDATED_TOPIC =
  '0x3704902f963766a4e561bbaab6e6cdc1b1dd12f6e9e99648da8843b3f46b918d'

const RS_BYTES = 64
const WORD_BYTES = 32
const ADDRESS_AT = 12
const V_OF_PARITY_0 = 27
const NONCE_BITS = 8n
const NONCE_MASK = 0xffn

/** What lets Permit2 move a token of an owner who has not approved it. Source: EIP-2612. */
export interface TokenPermit {
  readonly value: bigint
  readonly deadlineSeconds: bigint
  /** r, s and v. */
  readonly signature: Uint8Array
}

/** A payment by Permit2 with its addresses in the chain's spelling. Source: Permit2, x402. */
export interface Permit2Authorization {
  readonly scheme: Permit2Scheme
  readonly token: Address
  readonly from: Address
  readonly to: Address
  /** What was signed for; the most that may move. */
  readonly permitted: bigint
  /** What is to move: with `exact` all that was signed for. */
  readonly value: bigint
  readonly nonce: bigint
  /** The last second in which Permit2 takes it. */
  readonly deadlineSeconds: bigint
  /** The first second in which the proxy takes it. */
  readonly validAfterSeconds: bigint
  /** `upto`: who alone may settle it. */
  readonly facilitator: Address | null
  /** Of a plain key r, s and v: 65 bytes, low s. Of an account with code whatever it takes. */
  readonly signature: Uint8Array
  /** Comes before the transfer, where the owner has approved less. */
  readonly permit?: TokenPermit
  /** A transaction of the owner's own that has to come first, where the owner has approved less. Left out where there is a permit. */
  readonly approval?: PayerApproval
}

/** Permit2 itself, or one of its proxies here: nobody who could be paid. */
export function isPermit2Contract(address: Address): boolean {
  return address === PERMIT2 || address === PROXIES.exact || address === PROXIES.upto
}

/** What makes a payment one and the same: Permit2 uses a nonce of an owner once, whoever the spender and whatever the token is. */
export function permit2Key({
  from,
  nonce,
}: Pick<Permit2Authorization, 'from' | 'nonce'>): ProofKey {
  return proofKey(`permit2:${from}:${nonce}`)
}

/** What the owner signed: PermitWitnessTransferFrom in Permit2's domain on this chain. */
export function permit2Digest(
  { scheme, token, permitted, nonce, deadlineSeconds, ...witness }: Permit2Authorization,
  chainId: bigint,
): Uint8Array {
  const hashes = HASHES[scheme]
  const content = keccak256(
    Buffer.concat([
      hashes.permit,
      permissionsHash(token, permitted),
      addressWord(PROXIES[scheme]),
      uintWord(nonce),
      uintWord(deadlineSeconds),
      keccak256(Buffer.concat([hashes.witness, ...witnessWords(witness)])),
    ]),
  )
  return typedDataDigest(permit2Separator(chainId), content)
}

/** What tells Permit2 of one chain from all others. Its domain has no version. */
export function permit2Separator(chainId: bigint): Uint8Array {
  return keccak256(Buffer.concat([DOMAIN_HASH, NAME_HASH, uintWord(chainId), addressWord(PERMIT2)]))
}

/** The hash of TokenPermissions: so much of a token may move. */
export function permissionsHash(token: Address, permitted: bigint): Uint8Array {
  return keccak256(Buffer.concat([PERMISSIONS_HASH, addressWord(token), uintWord(permitted)]))
}

/** The call that moves the money; with the owner's permit before it where that is asked for and there is one. */
export function permit2Call(
  authorization: Permit2Authorization,
  { withPermit }: { readonly withPermit: boolean },
): Call {
  const { scheme, token, permitted, value, nonce, deadlineSeconds, from } = authorization
  const permit = withPermit ? authorization.permit : undefined
  const { settle, withPermit: settleWithPermit, words } = CALLS[scheme]
  const before = permit === undefined ? [] : permitWords(permit)
  const data = Buffer.concat([
    permit === undefined ? settle : settleWithPermit,
    ...before,
    addressWord(token),
    uintWord(permitted),
    uintWord(nonce),
    uintWord(deadlineSeconds),
    ...(scheme === 'upto' ? [uintWord(value)] : []),
    addressWord(from),
    ...witnessWords(authorization),
    ...dynamicBytes(before.length + words, authorization.signature),
  ])
  return { to: PROXIES[scheme], value: 0n, data }
}

/** What a call of a proxy does when it succeeds. */
export type Permit2Effect = Pick<Permit2Authorization, 'token' | 'from' | 'to' | 'value' | 'nonce'>

/** Reads a call of a proxy; undefined for any other call. */
export function permit2EffectOf(to: Address | null, data: Uint8Array): Permit2Effect | undefined {
  const selector = Buffer.from(data.subarray(0, SELECTOR_BYTES))
  for (const scheme of ['exact', 'upto'] as const) {
    if (to !== PROXIES[scheme]) continue
    const { settle, withPermit, words: last } = CALLS[scheme]
    const isWithPermit = selector.equals(withPermit)
    if (!isWithPermit && !selector.equals(settle)) return undefined
    const first = isWithPermit ? PERMIT_WORDS : 0
    const words = Array.from({ length: last }, (_, index) => wordAt(data, first + index))
    const { token, value, nonce, owner, receiver } = PLACES[scheme]
    const [asset, from, payee] = [token, owner, receiver].map((at) => addressIn(words[at]))
    const [amount, spent] = [value, nonce].map((at) => integerIn(words[at]))
    if (asset === undefined || from === undefined || payee === undefined) return undefined
    if (amount === undefined || spent === undefined) return undefined
    return { token: asset, from, to: payee, value: amount, nonce: spent }
  }
  return undefined
}

/** The 256 nonces of which this one is one, a bit each; `absent` where there is no Permit2. */
export function nonceView(
  { from, nonce }: Pick<Permit2Authorization, 'from' | 'nonce'>,
  absent: bigint,
): View {
  const words = [addressWord(from), uintWord(nonce >> NONCE_BITS)]
  return { target: PERMIT2, data: NONCE_BITMAP + Buffer.concat(words).toString('hex'), absent }
}

/** Whether the word of a bitmap that `nonceView` reads says that the nonce is used. */
export function isNonceUsed({ nonce }: Pick<Permit2Authorization, 'nonce'>, bits: bigint): boolean {
  return ((bits >> (nonce & NONCE_MASK)) & 1n) === 1n
}

/** Whether an invalidation of so many nonces, by word and mask, is of this one. */
export function isInvalidated(
  { nonce }: Pick<Permit2Authorization, 'nonce'>,
  { word, mask }: { readonly word: bigint; readonly mask: bigint },
): boolean {
  return word === nonce >> NONCE_BITS && isNonceUsed({ nonce }, mask)
}

/** What an owner lets Permit2 move of a token. */
export function allowanceView({ token, from }: Pick<Permit2Authorization, 'token' | 'from'>): View {
  const words = [addressWord(from), addressWord(PERMIT2)]
  return { target: token, data: ALLOWANCE + Buffer.concat(words).toString('hex'), absent: 0n }
}

/** The address of Permit2 as a proxy knows it; 0 where there is no such proxy. */
export function proxyView(scheme: Permit2Scheme): View {
  return { target: PROXIES[scheme], data: GET_PERMIT2, absent: 0n }
}

function permitWords({ value, deadlineSeconds, signature }: TokenPermit): Uint8Array[] {
  return [
    uintWord(value),
    uintWord(deadlineSeconds),
    signature.subarray(0, WORD_BYTES),
    signature.subarray(WORD_BYTES, RS_BYTES),
    uintWord(BigInt(evenV(signature)[RS_BYTES] ?? 0)),
  ]
}

/** A key's signature with v of 27 or 28, as ecrecover wants it; any other as it is. */
export function evenV(signature: Uint8Array): Uint8Array {
  const v = signature[RS_BYTES]
  if (signature.length !== RS_BYTES + 1 || v === undefined || v > 1) return signature
  const written = Buffer.from(signature)
  written[RS_BYTES] = v + V_OF_PARITY_0
  return written
}

function witnessWords({
  to,
  facilitator,
  validAfterSeconds,
}: Pick<Permit2Authorization, 'to' | 'facilitator' | 'validAfterSeconds'>): Uint8Array[] {
  const named = facilitator === null ? [] : [addressWord(facilitator)]
  return [addressWord(to), ...named, uintWord(validAfterSeconds)]
}

function hashesOf(scheme: Permit2Scheme) {
  const witness = WITNESS_TYPES[scheme]
  const permit =
    'PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,Witness witness)'
  return { witness: typeHash(witness), permit: typeHash(permit + PERMISSIONS_TYPE + witness) }
}

function wordAt(data: Uint8Array, index: number): Uint8Array | undefined {
  const from = SELECTOR_BYTES + index * WORD_BYTES
  return from + WORD_BYTES > data.length ? undefined : data.subarray(from, from + WORD_BYTES)
}

function addressIn(word: Uint8Array | undefined): Address | undefined {
  if (word === undefined || word.subarray(0, ADDRESS_AT).some((byte) => byte !== 0)) {
    return undefined
  }
  return addressFromBytes(word.subarray(ADDRESS_AT))
}

function integerIn(word: Uint8Array | undefined): bigint | undefined {
  return word === undefined ? undefined : BigInt(hexBytes(word))
}

function contractAt(digits: string): Address {
  return addressFromBytes(bytesOf(digits))
}

function bytesOf(digits: string): Uint8Array {
  return Buffer.from(digits, 'hex')
}
