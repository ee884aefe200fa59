import type { Address } from '../chain.ts'
import { malformed } from '../json-rpc/answer.ts'
import { bytesFrom } from './answer.ts'
import { addressFromBytes } from './account.ts'
import { addressArgument, uintArgument } from './arguments.ts'
import { hexBytes } from './hex.ts'
import type { Call } from './transfer.ts'
import type { Read } from '../json-rpc/transport.ts'

/** Multicall3, at the same address on every network. Source: github.com/mds1/multicall. */
export const MULTICALL = '0xcA11bde05977b3631167028862bE2a173976CA11'

const WORD_BYTES = 32
const ADDRESS_BYTES = 20
const SELECTOR_BYTES = 4
const PART_BYTES = 8
const PART_BITS = 64n
/** Where the last four bytes of a word begin: no call here is longer than they can say. */
const LOW = WORD_BYTES - 4
/** aggregate3((address target, bool allowFailure, bytes callData)[]) returns ((bool success, bytes returnData)[]) */
const AGGREGATE3 = 0x82ad56cb
const GET_BLOCK_NUMBER = '42cbb15c'
/** getBlockHash(uint256) */
const GET_BLOCK_HASH = 'ee82ac5e'
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

/** The hash at a height, of the last 256 blocks below the one that the call sees; 0 of any other. */
export function blockHashView(height: bigint): View {
  return { target: MULTICALL, data: GET_BLOCK_HASH + uintArgument(height) }
}

/** Unix seconds of the block that the call sees. */
export const blockTimeView: View = { target: MULTICALL, data: GET_BLOCK_TIME }

/** An address' balance of the native currency, or of a token given by address. */
export function balanceView(address: Address, asset: string): View {
  const argument = addressArgument(address)
  return asset === 'native'
    ? { target: MULTICALL, data: GET_ETH_BALANCE + argument }
    : { target: asset, data: BALANCE_OF + argument }
}

/** What an OP Stack roll-up takes at most for publishing a transaction of so many bytes; 0 on other networks. */
export function dataFeeView(transactionBytes: number): View {
  const data = L1_FEE_UPPER_BOUND + uintArgument(transactionBytes)
  return { target: L1_FEE_ORACLE, data, absent: 0n }
}

/** Reads one uint256 of each view, all at the latest block, in one call. */
export function readViews(views: readonly View[]): Read<readonly bigint[]> {
  return readViewsAt(views, 'latest')
}

/** The same at a block, given by its tag, its height as a quantity, or its hash. Source: EIP-1898. */
export function readViewsAt(
  views: readonly View[],
  block: string | { readonly blockHash: string },
): Read<readonly bigint[]> {
  const calls = views.map(({ target, data, absent }) => ({
    target,
    data,
    mayFail: absent !== undefined,
  }))
  return {
    method: 'eth_call',
    params: [{ to: MULTICALL, data: hexBytes(aggregate3(calls)) }, block],
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
    params: [{ to: MULTICALL, data: hexBytes(aggregate3(calls)) }, block],
    parse: (result) => {
      const bytes = bytesFrom(result, 'aggregate3 answer')
      return itemsOf(bytes, asked.length, (succeeded, from, length) =>
        succeeded && length > 0 ? bytes.subarray(from, from + length) : undefined,
      )
    },
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
  const to = addressFromBytes(Buffer.from(MULTICALL.slice(2), 'hex'))
  return { to, value: 0n, data: aggregate3(items) }
}

/** target, allowFailure, and where callData lies: the words of an item before its length and its bytes. */
const ITEM_WORDS = 3

/** The call's bytes, written in place: a call has hundreds of items, and each word made by itself costs more than all of its copying. */
function aggregate3(
  calls: readonly {
    readonly target: string
    /** Hex without 0x. */
    readonly data: string
    readonly mayFail: boolean
  }[],
): Buffer {
  const itemBytes = (data: string) => (ITEM_WORDS + 1) * WORD_BYTES + paddedBytes(data)
  const list = SELECTOR_BYTES + 2 * WORD_BYTES
  const places = calls.length * WORD_BYTES
  const bytes = calls.reduce((sum, { data }) => sum + itemBytes(data), list + places)
  const call = Buffer.alloc(bytes)
  const put = (at: number, value: number) => call.writeUInt32BE(value, at + LOW)
  call.writeUInt32BE(AGGREGATE3)
  put(SELECTOR_BYTES, WORD_BYTES)
  put(SELECTOR_BYTES + WORD_BYTES, calls.length)
  let item = list + places
  for (const [index, { target, data, mayFail }] of calls.entries()) {
    put(list + index * WORD_BYTES, item - list)
    call.write(target.slice(2), item + WORD_BYTES - ADDRESS_BYTES, 'hex')
    put(item + WORD_BYTES, mayFail ? 1 : 0)
    put(item + 2 * WORD_BYTES, ITEM_WORDS * WORD_BYTES)
    put(item + ITEM_WORDS * WORD_BYTES, data.length / 2)
    call.write(data, item + (ITEM_WORDS + 1) * WORD_BYTES, 'hex')
    item += itemBytes(data)
  }
  return call
}

function paddedBytes(data: string): number {
  return Math.ceil(data.length / 2 / WORD_BYTES) * WORD_BYTES
}

function decodeResults(bytes: Uint8Array, views: readonly View[]): readonly bigint[] {
  return itemsOf(bytes, views.length, (succeeded, from, length, index) => {
    if (succeeded && length === WORD_BYTES) return wordAt(bytes, from)
    const { absent, target } = views[index] ?? {}
    if (absent !== undefined && (length === 0 || !succeeded)) return absent
    throw malformed('view', `${length} bytes from ${target ?? 'nowhere'}`)
  })
}

/** What each call gave back: whether it succeeded, where its bytes lie and how many they are. */
function itemsOf<Item>(
  bytes: Uint8Array,
  count: number,
  read: (succeeded: boolean, from: number, length: number, index: number) => Item,
): readonly Item[] {
  const list = offsetAt(bytes, 0)
  if (offsetAt(bytes, list) !== count) throw malformed('aggregate3 answer', 'length')
  const first = list + WORD_BYTES
  return Array.from({ length: count }, (_, index) => {
    const item = first + offsetAt(bytes, first + index * WORD_BYTES)
    const at = item + offsetAt(bytes, item + WORD_BYTES)
    const from = at + WORD_BYTES
    const length = offsetAt(bytes, at)
    if (from + length > bytes.length) throw malformed('aggregate3 answer', 'truncated')
    return read(offsetAt(bytes, item) === 1, from, length, index)
  })
}

/** 32 bytes that are there, eight at a time: a third of what the way through text takes. */
function wordAt(bytes: Uint8Array, at: number): bigint {
  const word = new DataView(bytes.buffer, bytes.byteOffset + at, WORD_BYTES)
  let value = 0n
  for (let part = 0; part < WORD_BYTES; part += PART_BYTES) {
    value = (value << PART_BITS) | word.getBigUint64(part)
  }
  return value
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
