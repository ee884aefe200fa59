import type { Address } from '../../chain.ts'
import { addressWord, typeHash, uintWord } from '../eip712.ts'
import { callV } from '../eip3009.ts'
import type { TokenPermit } from '../permit2.ts'
import type { Call } from '../transfer.ts'
import { channelWords, ESCROW } from './escrow.ts'
import type { Channel, Row } from './escrow.ts'

const WORD_BYTES = 32
const CHANNEL = '(address,address,address,address,address,uint40,bytes32)'
const ROW = `((${CHANNEL},uint128),bytes,uint128)`
const DEPOSIT = selectorOf(`deposit(${CHANNEL},uint128,address,bytes)`)
const CLAIM = selectorOf(`claimWithSignature(${ROW}[],bytes)`)
const SETTLE = selectorOf('settle(address,address)')
const REFUND = selectorOf(`refundWithSignature(${CHANNEL},uint128,uint256,bytes)`)
const MULTICALL = selectorOf('multicall(bytes[])')

/** Words of a row before its signature: the channel, its ceiling, where the signature lies, and the total. */
const ROW_WORDS = 10
const CHANNEL_WORDS = 7

/** Takes what `collector` brings. */
export function depositCall(
  channel: Channel,
  amount: bigint,
  collector: Address,
  collectorData: Uint8Array,
): Call {
  return callOf(
    DEPOSIT,
    ...channelWords(channel),
    uintWord(amount),
    addressWord(collector),
    uintWord(BigInt((CHANNEL_WORDS + 3) * WORD_BYTES)),
    bytes(collectorData),
  )
}

/** What the collector by EIP-3009 wants to know. */
export function erc3009Data({
  validAfterSeconds,
  validBeforeSeconds,
  salt,
  signature,
}: {
  readonly validAfterSeconds: bigint
  readonly validBeforeSeconds: bigint
  readonly salt: Uint8Array
  readonly signature: Uint8Array
}): Uint8Array {
  return Buffer.concat([
    ...[uintWord(validAfterSeconds), uintWord(validBeforeSeconds), salt],
    uintWord(BigInt(4 * WORD_BYTES)),
    bytes(signature),
  ])
}

/** What the collector by Permit2 wants to know. */
export function permit2Data({
  nonce,
  deadlineSeconds,
  signature,
  permit,
}: {
  readonly nonce: bigint
  readonly deadlineSeconds: bigint
  readonly signature: Uint8Array
  /** Left out: the owner has approved Permit2 before. */
  readonly permit?: TokenPermit | undefined
}): Uint8Array {
  const signed = bytes(signature)
  const at = 4 * WORD_BYTES
  return Buffer.concat([
    ...[uintWord(nonce), uintWord(deadlineSeconds), uintWord(BigInt(at))],
    uintWord(BigInt(at + signed.length)),
    signed,
    bytes(permit === undefined ? new Uint8Array() : permitBytes(permit)),
  ])
}

/** Value, deadline, v, r and s. */
function permitBytes({ value, deadlineSeconds, signature }: TokenPermit): Uint8Array {
  return Buffer.concat([
    ...[value, deadlineSeconds, BigInt(callV(signature))].map(uintWord),
    signature.subarray(0, 2 * WORD_BYTES),
  ])
}

/** Counts vouchers for their receivers. */
export function claimCall(rows: readonly Row[], authorizerSignature: Uint8Array): Call {
  const list = rowList(rows)
  const at = 2 * WORD_BYTES
  return callOf(
    CLAIM,
    uintWord(BigInt(at)),
    uintWord(BigInt(at + list.length)),
    list,
    bytes(authorizerSignature),
  )
}

/** Sends a receiver what was claimed. */
export function settleCall(receiver: Address, token: Address): Call {
  return callOf(SETTLE, addressWord(receiver), addressWord(token))
}

/** Gives the payer back what is unclaimed, that much at most. */
export function refundCall(
  channel: Channel,
  amount: bigint,
  nonce: bigint,
  signature: Uint8Array,
): Call {
  return callOf(
    REFUND,
    ...channelWords(channel),
    uintWord(amount),
    uintWord(nonce),
    uintWord(BigInt((CHANNEL_WORDS + 3) * WORD_BYTES)),
    bytes(signature),
  )
}

/** Several calls of the escrow in one, all of them or none. */
export function escrowCalls(calls: readonly Call[]): Call {
  const items = calls.map(({ data }) => bytes(data))
  return callOf(MULTICALL, uintWord(BigInt(WORD_BYTES)), listOf(items))
}

function rowList(rows: readonly Row[]): Uint8Array {
  return listOf(
    rows.map(({ channel, maxClaimableAmount, signature, totalClaimed }) =>
      Buffer.concat([
        ...channelWords(channel),
        uintWord(maxClaimableAmount),
        uintWord(BigInt(ROW_WORDS * WORD_BYTES)),
        uintWord(totalClaimed),
        bytes(signature),
      ]),
    ),
  )
}

/** Items of no fixed length: how many, where each lies, and each. Source: the ABI specification. */
function listOf(items: readonly Uint8Array[]): Uint8Array {
  let at = items.length * WORD_BYTES
  const places = items.map((item) => {
    const place = uintWord(BigInt(at))
    at += item.length
    return place
  })
  return Buffer.concat([uintWord(BigInt(items.length)), ...places, ...items])
}

/** Its length, and its content padded to whole words. */
function bytes(content: Uint8Array): Uint8Array {
  const padding = (WORD_BYTES - (content.length % WORD_BYTES)) % WORD_BYTES
  return Buffer.concat([...[uintWord(BigInt(content.length)), content, new Uint8Array(padding)]])
}

function callOf(selector: Uint8Array, ...words: readonly Uint8Array[]): Call {
  return { to: ESCROW, value: 0n, data: Buffer.concat([selector, ...words]) }
}

function selectorOf(signature: string): Uint8Array {
  return typeHash(signature).subarray(0, 4)
}
