import { malformed } from '../json-rpc/answer.ts'
import { hexDigits } from './hex.ts'
import { assemble, BEHIND, placeText } from './init-code.ts'
import type { CodePart } from './init-code.ts'

/** A call that is run. */
export interface AskedRun {
  /** 20 bytes, hex without 0x. */
  readonly to: string
  /** RUN_DATA_BYTES of call data. */
  readonly data: Uint8Array
  /** What the call itself may take, below 2^32. */
  readonly gas: bigint
}

/** What became of a call: it ran and gave nothing or true back, it failed, or it gave back what says neither. */
export type Ran = 'ran' | 'failed' | 'unclear'

/** Of EIP-3009's `transferWithAuthorization` with v, r and s: the selector and nine words. */
export const RUN_DATA_BYTES = 4 + 9 * 32

const GAS_BYTES = 4
const HEAD_BYTES = 20 + GAS_BYTES
const ENTRY_BYTES = HEAD_BYTES + RUN_DATA_BYTES
const SAID: readonly (Ran | undefined)[] = ['failed', 'ran', 'unclear']

/** Where the call data of an entry begins, behind receiver and gas. */
const DATA = 'data'

/**
 * What runs one call: code of an account that is being made, with the entry behind it. It ends by taking everything back, its own making included, and
 * says in a byte what became of the call: 0 failed, 1 ran, 2 unclear.
 */
const CHILD: readonly CodePart[] = [
  // The call data at 0, receiver and gas as the end of the word at 0x140.
  ...[`61${placeText(RUN_DATA_BYTES)}`, '61', { to: DATA }, '6000', '39'],
  ...[`60${byteText(HEAD_BYTES)}`, '61', { to: BEHIND }, '610148', '39'],
  ...['6020', '610160', `61${placeText(RUN_DATA_BYTES)}`, '6000', '6000'],
  ...['610140', '51', '80', '6020', '1c', '90', '63ffffffff', '16', 'f1'],
  // Nothing came back, or one word that is 1.
  ...['3d', '15', '3d', '6020', '14', '610160', '51', '6001', '14', '16', '17'],
  // 0 if it failed, else 1 or 2.
  ...['6002', '03', '02', '6000', '53', '6001', '6000', 'fd'],
]

const ONE = withDataPlace(CHILD)

/** Where what is said of the calls is gathered: behind the code of one and its entry. */
const SAID_AT = '610300'
const ONE_SIZE = `61${placeText(ONE.bytes + ENTRY_BYTES)}`

/**
 * Runs each of the entries behind it alone, as if none of the others were there, and gives back a byte for each. An account is made for each that
 * takes everything back again, since a call that is being made has no code of its own to come back to.
 */
const PROGRAM: readonly CodePart[] = [
  ...[`61${placeText(ONE.bytes)}`, '61', { to: 'one' }, '6000', '39'],
  // Where the next byte goes, and where the next entry is: both stay on the stack.
  ...[SAID_AT, '61', { to: BEHIND }],
  { here: 'entry' },
  ...['80', '38', '14', '61', { to: 'done' }, '57'],
  ...[`61${placeText(ENTRY_BYTES)}`, '81', `61${placeText(ONE.bytes)}`, '39'],
  ...[ONE_SIZE, '6000', '6000', 'f0', '50'],
  // Anything but a byte, which is an account that could not be made, counts as failed.
  ...['3d', '6001', '14', '15', '61', { to: 'next' }, '57', '6001', '6000', '83', '3e'],
  { here: 'next' },
  ...[`61${placeText(ENTRY_BYTES)}`, '01', '90', '6001', '01', '90', '61', { to: 'entry' }, '56'],
  { here: 'done' },
  ...['50', SAID_AT, '90', '03', SAID_AT, 'f3'],
  { mark: 'one' },
  ONE.text,
]
const CODE = assemble(PROGRAM).parts.join('')

/** The call's data, hex with 0x. */
export function writeRuns(asked: readonly AskedRun[]): string {
  let data = `0x${CODE}`
  for (const { to, data: bytes, gas } of asked) {
    if (bytes.length !== RUN_DATA_BYTES) throw new Error(`a run of ${bytes.length} bytes`)
    data += to + gas.toString(16).padStart(2 * GAS_BYTES, '0') + hexDigits(bytes)
  }
  return data
}

/** Reads what the call gave back, in the order of asking. Throws NodeFailure. */
export function readRuns(bytes: Uint8Array, askedCount: number): readonly Ran[] {
  if (bytes.length !== askedCount) throw malformed('runs', `${bytes.length} bytes`)
  return Array.from(bytes, (byte) => SAID[byte] ?? unreadable(byte))
}

function unreadable(byte: number): never {
  throw malformed('run', `${byte}`)
}

function withDataPlace(program: readonly CodePart[]): {
  readonly text: string
  readonly bytes: number
} {
  const { parts, bytes } = assemble(program, DATA)
  return { text: parts.join(placeText(bytes + HEAD_BYTES)), bytes }
}

function byteText(value: number): string {
  return value.toString(16).padStart(2, '0')
}
