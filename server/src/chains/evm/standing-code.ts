import { hexDigits } from './hex.ts'
import { assemble, BEHIND, placeText } from './init-code.ts'
import type { CodePart } from './init-code.ts'
import { malformed } from '../json-rpc/answer.ts'

/** What is asked of one authorization. Hex without 0x. */
export interface Standpoint {
  /** 20 bytes each. */
  readonly token: string
  readonly payer: string
  /** 32 bytes. */
  readonly nonce: string
}

/** What the token says of an authorization, at the block of the call. */
export interface Standing {
  /** 0 or 1, as the token counts; 2 where it has no such function. */
  readonly used: bigint
  /** Of the payer, in base units of the token. */
  readonly balance: bigint
  /** Unix time of the chain. */
  readonly nowSeconds: bigint
}

/** The same with whether the payer has code. */
export interface PayerStanding extends Standing {
  readonly hasCode: boolean
}

export interface StandingAnswer {
  /** In the order of asking. */
  readonly standings: readonly PayerStanding[]
  /** 20 bytes as hex without 0x, lower case; zeros where nobody signed so. In the order of asking. */
  readonly signers: readonly string[]
}

const ENTRY_BYTES = 72
const STANDING_BYTES = 33
const ADDRESS_BYTES = 20
const WORD_BYTES = 32
const LOW_BYTES = 8
const USED_MASK = 3
const BALANCE_FAILED = 4
const HAS_CODE = 8
const USED = [0n, 1n, 2n] as const

/**
 * 100,000 for each question: several times what tokens take, and all of a full call together stay below 50 million, which nodes give one. A token that burns
 * what it is given (WETH writes for every function that it does not know) takes nothing from the others of its call.
 */
const GAS = '620186a0'
/** Where the entries end, which depends on how many there are. */
const END = 'end'

/**
 * Init code of a call that creates nothing, with what is asked behind it: reads everything in one call, and says it in a fifth of the bytes that
 * Multicall3 takes, which node, network and this process all handle. Entries of 72 bytes (token, payer, nonce) up to `end`, then
 * signatures of 97 (digest, v, r, s). Gives back the time of the block, for each entry a byte (1 used, 2 no such function, 4 no
 * balance, 8 the payer has code) and the balance, and for each signature the twenty bytes of who made it.
 */
const PROGRAM: readonly CodePart[] = [
  // authorizationState(address,bytes32) at 0, balanceOf(address) at 0x60, and the time where the answer begins.
  ...['63e94a0102', '60e0', '1b', '6000', '52', '6370a08231', '60e0', '1b', '6060', '52'],
  ...['42', '610100', '52'],
  // Where the answer goes on, and where the next entry is: both stay on the stack.
  ...['610120', '61', { to: BEHIND }],
  { here: 'entry' },
  ...['80', '61', { to: END }, '14', '61', { to: 'signed' }, '57'],
  // The token at 0xac, payer and nonce for its state, the payer for its balance.
  ...['6014', '81', '60ac', '39', '6034', '81', '6014', '01', '6010', '39'],
  ...['6014', '81', '6014', '01', '6070', '39'],
  // The state: 2 unless the call succeeds with one word, else whether that is anything but 0.
  ...['6020', '60c0', '6044', '6000', '60a0', '51', GAS, 'fa', '3d', '6020', '14', '16'],
  ...['80', '15', '6001', '1b', '90', '60c0', '51', '15', '15', '16', '17'],
  // The balance: 4 more unless the call succeeds with one word.
  ...['6020', '60e0', '6024', '6060', '60a0', '51', GAS, 'fa', '3d', '6020', '14', '16', '15'],
  ...['6002', '1b', '17'],
  // The payer's code: 8 more if there is any, the 23 bytes of a delegated key (EIP-7702) included.
  ...['6004', '51', '3b', '15', '15', '6003', '1b', '17'],
  ...['82', '53', '60e0', '51', '82', '6001', '01', '52'],
  ...['6048', '01', '90', '6021', '01', '90', '61', { to: 'entry' }, '56'],
  // v is a byte, and its word has to be empty before it.
  { here: 'signed' },
  ...['6000', '6020', '52'],
  { here: 'signature' },
  ...['80', '38', '14', '61', { to: 'done' }, '57'],
  ...['6020', '81', '6000', '39', '6041', '81', '6020', '01', '603f', '39'],
  // ecrecover gives nothing for what nobody signed. Source: the Yellow Paper, appendix E.
  ...['6000', '60c0', '52', '6020', '60c0', '6080', '6000', '6001', '5a', 'fa', '50'],
  ...['60c0', '51', '6060', '1b', '82', '52', '6061', '01', '90', '6014', '01', '90'],
  ...['61', { to: 'signature' }, '56'],
  { here: 'done' },
  ...['50', '610100', '90', '03', '610100', 'f3'],
]

/** The code before and behind the place where the entries end, and its length. */
const CODE = assemble(PROGRAM, END)
const [BEFORE_END = '', BEHIND_END = ''] = CODE.parts

/** The call's data, hex with 0x. `signatures`: 97 bytes each, hex without 0x. */
export function writeStandings(
  asked: readonly Standpoint[],
  signatures: readonly string[],
): string {
  const end = placeText(CODE.bytes + asked.length * ENTRY_BYTES)
  let data = `0x${BEFORE_END}${end}${BEHIND_END}`
  for (const { token, payer, nonce } of asked) data += token + payer + nonce
  for (const signature of signatures) data += signature
  return data
}

/** Reads what the call gave back. Throws NodeFailure: another length, or a token without balances. */
export function readStandings(
  bytes: Uint8Array,
  askedCount: number,
  signatureCount: number,
): StandingAnswer {
  const signersAt = WORD_BYTES + askedCount * STANDING_BYTES
  if (bytes.length !== signersAt + signatureCount * ADDRESS_BYTES) {
    throw malformed('standings', `${bytes.length} bytes`)
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const nowSeconds = wordAt(view, 0)
  const standings = Array.from({ length: askedCount }, (_, index): PayerStanding => {
    const at = WORD_BYTES + index * STANDING_BYTES
    const flags = view.getUint8(at)
    const used = USED[flags & USED_MASK]
    if (used === undefined || (flags & BALANCE_FAILED) !== 0)
      throw malformed('standing', `${flags}`)
    return { used, balance: wordAt(view, at + 1), nowSeconds, hasCode: (flags & HAS_CODE) !== 0 }
  })
  const signers = Array.from({ length: signatureCount }, (_, index) => {
    const at = signersAt + index * ADDRESS_BYTES
    return hexDigits(bytes.subarray(at, at + ADDRESS_BYTES))
  })
  return { standings, signers }
}

/** Nearly all fit into the last eight bytes: a bigint more for each of the others costs as much as all the rest. */
function wordAt(view: DataView, at: number): bigint {
  let value = 0n
  for (let part = at; part < at + WORD_BYTES; part += LOW_BYTES) {
    const isEmpty = view.getUint32(part) === 0 && view.getUint32(part + LOW_BYTES / 2) === 0
    if (value !== 0n) value <<= 64n
    if (!isEmpty) value |= view.getBigUint64(part)
  }
  return value
}
