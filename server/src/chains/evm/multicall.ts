import type { Address } from '../chain.ts'
import { malformed } from '../json-rpc/answer.ts'
import { bytesFrom } from './answer.ts'
import { addressBytes, addressFromBytes } from './account.ts'
import { hexBytes } from './hex.ts'
import type { Call } from './transfer.ts'
import type { Read } from '../json-rpc/transport.ts'

/** Multicall3, at the same address on every network. Source: github.com/mds1/multicall. */
export const MULTICALL = '0xcA11bde05977b3631167028862bE2a173976CA11'

const WORD_BYTES = 32
/** aggregate3((address target, bool allowFailure, bytes callData)[]) returns ((bool success, bytes returnData)[]) */
const AGGREGATE3 = '82ad56cb'
const GET_BLOCK_NUMBER = '42cbb15c'
/** getCurrentBlockTimestamp() */
const GET_BLOCK_TIME = '0f28c97d'
const GET_ETH_BALANCE = '4d2301cc'
const BALANCE_OF = '70a08231'
/** GasPriceOracle.getL1FeeUpperBound(uint256), an OP Stack predeploy. */
const L1_FEE_UPPER_BOUND = 'f1c7a58b'
const L1_FEE_ORACLE = '0x420000000000000000000000000000000000000F'

/** A view that shares one `eth_call`, and with it one block, with others. */
export interface View {
  readonly target: string
  readonly data: string
  /** What it means that the target has no code; left out, that is a NodeFailure. */
  readonly absent?: bigint
}

export const blockNumberView: View = { target: MULTICALL, data: GET_BLOCK_NUMBER }

/** Unix seconds of the block that the call sees. */
export const blockTimeView: View = { target: MULTICALL, data: GET_BLOCK_TIME }

/** An address' balance of the native currency, or of a token given by address. */
export function balanceView(address: Address, asset: string): View {
  const argument = word(addressBytes(address))
  return asset === 'native'
    ? { target: MULTICALL, data: GET_ETH_BALANCE + argument }
    : { target: asset, data: BALANCE_OF + argument }
}

/** What an OP Stack roll-up takes at most for publishing a transaction of so many bytes; 0 on other networks. */
export function dataFeeView(transactionBytes: number): View {
  return { target: L1_FEE_ORACLE, data: L1_FEE_UPPER_BOUND + uint(transactionBytes), absent: 0n }
}

/** Reads one uint256 of each view, all at the latest block, in one call. */
export function readViews(views: readonly View[]): Read<readonly bigint[]> {
  return readViewsAt(views, 'latest')
}

/** The same at a block, given by its tag or its height as a quantity. */
export function readViewsAt(views: readonly View[], block: string): Read<readonly bigint[]> {
  const data = `0x${AGGREGATE3}${encodeViews(views)}`
  return {
    method: 'eth_call',
    params: [{ to: MULTICALL, data }, block],
    parse: (result) => decodeResults(bytesFrom(result, 'aggregate3 answer'), views),
  }
}

/** Something to ask a contract, whatever it answers. */
export interface Asked {
  readonly target: string
  /** Hex without 0x. */
  readonly data: string
}

/** What each gives back, all at one block and in one call; undefined where it fails, or where nobody is there. */
export function readEach(
  asked: readonly Asked[],
  block = 'latest',
): Read<readonly (Uint8Array | undefined)[]> {
  const calls = asked.map(({ target, data }) => ({ target, data, mayFail: true }))
  return {
    method: 'eth_call',
    params: [{ to: MULTICALL, data: `0x${AGGREGATE3}${encodeCalls(calls)}` }, block],
    parse: (result) =>
      itemsOf(bytesFrom(result, 'aggregate3 answer'), asked.length).map(({ succeeded, value }) =>
        succeeded && value.length > 0 ? value : undefined,
      ),
  }
}

/**
 * One call that makes several, none of which takes anything from the others when it fails; or, where none may fail, all of them or none.
 * No value goes with any.
 */
export function callsTogether(
  calls: readonly { to: Address; data: Uint8Array }[],
  { mayFail } = { mayFail: true },
): Call {
  const items = calls.map(({ to, data }) => ({
    target: to,
    data: Buffer.from(data).toString('hex'),
    mayFail,
  }))
  const data = Buffer.from(AGGREGATE3 + encodeCalls(items), 'hex')
  const to = addressFromBytes(Buffer.from(MULTICALL.slice(2), 'hex'))
  return { to, value: 0n, data }
}

function encodeViews(views: readonly View[]): string {
  return encodeCalls(
    views.map(({ target, data, absent }) => ({ target, data, mayFail: absent !== undefined })),
  )
}

function encodeCalls(
  calls: readonly { readonly target: string; readonly data: string; readonly mayFail: boolean }[],
): string {
  const bodies = calls.map(({ target, data, mayFail }) => {
    const bytes = data.length / 2
    const padded = data.padEnd(Math.ceil(bytes / WORD_BYTES) * WORD_BYTES * 2, '0')
    const head =
      word(Buffer.from(target.slice(2), 'hex')) + uint(mayFail ? 1 : 0) + uint(3 * WORD_BYTES)
    return head + uint(bytes) + padded
  })
  let offset = calls.length * WORD_BYTES
  const offsets = bodies.map((body) => {
    const at = uint(offset)
    offset += body.length / 2
    return at
  })
  return uint(WORD_BYTES) + uint(calls.length) + offsets.join('') + bodies.join('')
}

function decodeResults(bytes: Uint8Array, views: readonly View[]): readonly bigint[] {
  return itemsOf(bytes, views.length).map(({ succeeded, value }, index) => {
    if (succeeded && value.length === WORD_BYTES) return wordAt(value, 0)
    const { absent, target } = views[index] ?? {}
    if (absent !== undefined && (value.length === 0 || !succeeded)) return absent
    throw malformed('view', `${value.length} bytes from ${target ?? 'nowhere'}`)
  })
}

function itemsOf(
  bytes: Uint8Array,
  count: number,
): readonly { readonly succeeded: boolean; readonly value: Uint8Array }[] {
  const list = offsetAt(bytes, 0)
  if (offsetAt(bytes, list) !== count) throw malformed('aggregate3 answer', 'length')
  const first = list + WORD_BYTES
  return Array.from({ length: count }, (_, index) => {
    const item = first + offsetAt(bytes, first + index * WORD_BYTES)
    const at = item + offsetAt(bytes, item + WORD_BYTES)
    const from = at + WORD_BYTES
    const value = bytes.subarray(from, from + offsetAt(bytes, at))
    if (value.length !== offsetAt(bytes, at)) throw malformed('aggregate3 answer', 'truncated')
    return { succeeded: offsetAt(bytes, item) === 1, value }
  })
}

function wordAt(bytes: Uint8Array, at: number): bigint {
  const slice = bytes.subarray(at, at + WORD_BYTES)
  if (slice.length !== WORD_BYTES) throw malformed('aggregate3 answer', 'truncated')
  return BigInt(hexBytes(slice))
}

/** An answer has thousands of these: read as numbers they cost a tenth of what a bigint of each does. */
function offsetAt(bytes: Uint8Array, at: number): number {
  if (at + WORD_BYTES > bytes.length) throw malformed('aggregate3 answer', 'truncated')
  let value = 0
  // Beyond what a double holds it is beyond any answer, too, whatever is lost of it.
  for (let index = at; index < at + WORD_BYTES; index += 1) {
    value = value * 256 + (bytes[index] ?? 0)
  }
  if (value > bytes.length) throw malformed('aggregate3 answer', 'offset')
  return value
}

function word(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('hex')
    .padStart(WORD_BYTES * 2, '0')
}

function uint(value: number): string {
  return value.toString(16).padStart(WORD_BYTES * 2, '0')
}
