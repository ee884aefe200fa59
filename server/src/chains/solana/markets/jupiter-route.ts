import { createHash } from 'node:crypto'

/** What the router's program is told to do, read from the front as the program reads it. */
export interface RouteWords {
  readonly amountIn: bigint
  readonly quotedOut: bigint
  readonly slippageBasisPoints: bigint
  readonly platformFeeBasisPoints: number
}

const NAME = createHash('sha256').update('global:shared_accounts_route').digest().subarray(0, 8)
/** The program's own number of the accounts that it shares out. */
const ID_BYTES = 1
const COUNT_BYTES = 4
/** Of a step, behind its market: percent, index of what goes in, index of what comes out. */
const STEP_END_BYTES = 3
/** Amount in, quoted amount out, slippage, platform fee. */
const TAIL_BYTES = 8 + 8 + 2 + 1

/**
 * How many bytes a kind of market says of itself, by its number. Borsh writes them without a length, so a kind that stands here wrongly
 * would move all that follows: only the kinds are listed in which the interface that the router's makers publish (`Swap`, in
 * jup-ag/instruction-parser) and two later readings of the program's own interface agree. All later ones are refused.
 */
const FIELD_BYTES: readonly number[] = [
  ...[0, 0, 0, 0, 0, 0, 0, 0, 1, 0], // Saber … Raydium, Crema, Lifinity
  ...[0, 0, 1, 0, 0, 1, 1, 1, 1, 0], // Mercurial … Whirlpool, Invariant, Meteora
  ...[0, 1, 0, 1, 1, 0, 0, 1, 1, 16], // GooseFX … Openbook, Phoenix, Symmetry
  ...[0, 0, 0, 4, 0, 0, 0, 0, 0, 1], // TokenSwapV2 … MeteoraDlmm, OpenBookV2
  ...[0, 4, 3, 10, 5, 5, 0, 2, 0, 0], // RaydiumClmmV2 … RaydiumCP, WhirlpoolSwapV2, OneIntro
  ...[0, 0, 0, 0, 0, 0, 0, 0, 1], // … PerpsV2 … StabbleWeightedSwap, Obric
]
/** Of this kind the second byte tells whether a list of any length follows: only without one is it read. */
const WHIRLPOOL_V2 = 47

/**
 * Reads the data of `shared_accounts_route`. Undefined when it is another instruction, goes through a market that is not known here, or
 * is a byte too short or too long: the program does not look at what is left over, so nothing may be.
 */
export function readRoute(data: Uint8Array): RouteWords | undefined {
  const bytes = Buffer.from(data)
  const countAt = NAME.length + ID_BYTES
  let at = countAt + COUNT_BYTES
  if (bytes.length < at + TAIL_BYTES || !bytes.subarray(0, NAME.length).equals(NAME)) {
    return undefined
  }
  const count = bytes.readUInt32LE(countAt)
  if (count === 0) return undefined
  for (let step = 0; step < count; step += 1) {
    const kind = bytes[at]
    const fields = kind === undefined ? undefined : FIELD_BYTES[kind]
    if (fields === undefined) return undefined
    if (kind === WHIRLPOOL_V2 && bytes[at + fields] !== 0) return undefined
    at += 1 + fields + STEP_END_BYTES
  }
  if (bytes.length !== at + TAIL_BYTES) return undefined
  return {
    amountIn: bytes.readBigUInt64LE(at),
    quotedOut: bytes.readBigUInt64LE(at + 8),
    slippageBasisPoints: BigInt(bytes.readUInt16LE(at + 16)),
    platformFeeBasisPoints: bytes.readUInt8(at + 18),
  }
}
