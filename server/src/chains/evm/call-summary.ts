import type { Address } from '../chain.ts'
import type { ProofKey } from '../exact.ts'
import type { SummaryTransfer, TransactionSummary } from '../self-custody.ts'
import { addressFromBytes } from './account.ts'
import { authorizationKey, TRANSFER_WITH_AUTHORIZATION } from './eip3009.ts'
import { hexBytes } from './hex.ts'
import type { Explain } from './markets/router-calls.ts'
import { permit2EffectOf, permit2Key } from './permit2.ts'
import { COMMITMENT_BYTES, COMMITMENT_TAG, TRANSFER } from './transfer.ts'

/** What a transaction asks of the chain, whoever signs it. */
export interface AskedCall {
  readonly from: Address | null
  /** Null where it creates a contract. */
  readonly to: Address | null
  readonly value: bigint
  readonly data: Uint8Array
  /** What comes with it beside the call, in plain words. */
  readonly extras: readonly string[]
}

export const ACCESS_LIST = 'has an access list'

const WORD_BYTES = 32
const SELECTOR_BYTES = 4
const ADDRESS_AT = 12
const TAIL_BYTES = COMMITMENT_TAG.length + COMMITMENT_BYTES
const AUTHORIZATION_WORDS = 9
const NONCE_WORD = 5

/** All that a call does, as far as its bytes and the listed tokens say; what is not known by its meaning is said to be there. */
export function summaryOf(
  call: AskedCall,
  tokens: ReadonlySet<string>,
  explain?: Explain,
): TransactionSummary {
  const { from, to, value } = call
  const { body, commitments } = withoutCommitments(call.data)
  const isToken = to !== null && tokens.has(to)
  const moved = isToken ? tokenTransfer(to, from, body) : proxyTransfer(to, body, tokens)
  const natives: readonly SummaryTransfer[] =
    to === null || (value === 0n && body.length > 0)
      ? []
      : isToken
        ? []
        : [{ asset: 'native', from, to, amount: value }]
  const others = [
    ...(to === null ? ['creates a contract'] : []),
    ...(moved === undefined && body.length > 0 && to !== null
      ? [
          explain?.(to, body)?.words ??
            `calls ${to} with ${body.length} bytes whose meaning is not known here`,
        ]
      : []),
    ...(isToken && moved === undefined && body.length === 0 ? [`calls ${to} without data`] : []),
    ...(isToken && value > 0n ? [`sends ${value} wei to the token's contract`] : []),
    ...call.extras,
  ]
  return {
    feePayer: from,
    transfers: [...natives, ...(moved === undefined ? [] : [moved])],
    commitments,
    createsAccounts: [],
    others,
  }
}

/** Tags and commitments at the end of call data, and what stands before them. */
export function withoutCommitments(data: Uint8Array): {
  readonly body: Uint8Array
  readonly commitments: readonly string[]
} {
  const commitments: string[] = []
  let end = data.length
  while (end >= TAIL_BYTES) {
    const tail = Buffer.from(data.subarray(end - TAIL_BYTES, end))
    if (!tail.subarray(0, COMMITMENT_TAG.length).equals(COMMITMENT_TAG)) break
    commitments.unshift(tail.subarray(COMMITMENT_TAG.length).toString('hex'))
    end -= TAIL_BYTES
  }
  return { body: data.subarray(0, end), commitments }
}

/** `transfer` by the signer, or a `transferWithAuthorization` of somebody who signed it; undefined for any other call. */
function tokenTransfer(
  token: Address,
  signer: Address | null,
  body: Uint8Array,
): SummaryTransfer | undefined {
  const selector = Buffer.from(body.subarray(0, SELECTOR_BYTES))
  const words = wordsOf(body.subarray(SELECTOR_BYTES))
  if (words === undefined) return undefined
  if (selector.equals(TRANSFER) && words.length === 2) {
    const to = addressFrom(words[0])
    if (to === undefined) return undefined
    return { asset: token, from: signer, to, amount: integerFrom(words[1]) }
  }
  if (selector.equals(TRANSFER_WITH_AUTHORIZATION) && words.length === AUTHORIZATION_WORDS) {
    const [from, to] = [addressFrom(words[0]), addressFrom(words[1])]
    if (from === undefined || to === undefined) return undefined
    return { asset: token, from, to, amount: integerFrom(words[2]) }
  }
  return undefined
}

/** What a proxy of Permit2 moves of a listed token. */
function proxyTransfer(
  to: Address | null,
  body: Uint8Array,
  tokens: ReadonlySet<string>,
): SummaryTransfer | undefined {
  const effect = permit2EffectOf(to, body)
  if (effect === undefined || !tokens.has(effect.token)) return undefined
  return { asset: effect.token, from: effect.from, to: effect.to, amount: effect.value }
}

/**
 * Whether a call moves money by an authorization, its own sender's too: that is a payment of another scheme, which has its own record.
 * Source: EIP-3009.
 */
export function carriesAuthorization(data: Uint8Array): boolean {
  return Buffer.from(data.subarray(0, SELECTOR_BYTES)).equals(TRANSFER_WITH_AUTHORIZATION)
}

/** The authorization that a call of a token, or of a proxy of Permit2, would use up; null for any other call. */
export function settledKey({ to, data }: Pick<AskedCall, 'to' | 'data'>): ProofKey | null {
  const effect = permit2EffectOf(to, data)
  if (effect !== undefined) return permit2Key(effect)
  const words = carriesAuthorization(data) ? wordsOf(data.subarray(SELECTOR_BYTES)) : undefined
  const from = addressFrom(words?.[0])
  const nonce = words?.[NONCE_WORD]
  if (words?.length !== AUTHORIZATION_WORDS || to === null) return null
  if (from === undefined || nonce === undefined) return null
  return authorizationKey({ token: to, from }, hexBytes(nonce))
}

function wordsOf(bytes: Uint8Array): readonly Uint8Array[] | undefined {
  if (bytes.length % WORD_BYTES !== 0) return undefined
  return Array.from({ length: bytes.length / WORD_BYTES }, (_, index) =>
    bytes.subarray(index * WORD_BYTES, (index + 1) * WORD_BYTES),
  )
}

function addressFrom(word: Uint8Array | undefined): Address | undefined {
  if (word === undefined || word.subarray(0, ADDRESS_AT).some((byte) => byte !== 0)) {
    return undefined
  }
  return addressFromBytes(word.subarray(ADDRESS_AT))
}

function integerFrom(word: Uint8Array | undefined): bigint {
  return word === undefined ? 0n : BigInt(hexBytes(word))
}
