import type { Account, Address, ModuleTools } from './venue-api.ts'

/** What a curve's account says; base units. */
export interface Curve {
  readonly virtualTokens: bigint
  readonly virtualLamports: bigint
  readonly realTokens: bigint
  readonly realLamports: bigint
  /** All of its tokens are sold: its liquidity goes elsewhere. */
  readonly isComplete: boolean
  readonly creator: Address
  readonly isMayhem: boolean
  /** What its tokens are paid in; nobody's address for lamports. */
  readonly quoteMint: Address
  /** In basis points; 0 for the schedule's. */
  readonly creatorFee: bigint
}

/** What the program's own settings say. */
export interface Global {
  readonly feeRecipients: readonly Address[]
  readonly buybackRecipients: readonly Address[]
  /** A curve's own creator fee counts. */
  readonly isCreatorFeeOwn: boolean
}

/** Fees in basis points from a market value in lamports on. */
export interface FeeTier {
  readonly from: bigint
  readonly protocol: bigint
  readonly creator: bigint
}

const CURVE = { mark: [23, 183, 248, 55, 96, 216, 172, 96], least: 49, bytes: 125 }
const GLOBAL = { mark: [167, 232, 232, 177, 200, 108, 114, 127], least: 1_045, bytes: 1_087 }
const FEE_CONFIG = { mark: [143, 52, 146, 187, 219, 123, 76, 155], least: 69, bytes: 69 }
const TIERS_AT = 65
const TIER_BYTES = 40
/** Twice as many as the account had when this was written. */
const TIERS_MAX = 60
const ADDRESS_BYTES = 32

interface Layout {
  readonly mark: readonly number[]
  /** The shortest that the program ever wrote; what a shorter one lacks reads as zeros. */
  readonly least: number
  readonly bytes: number
}

/** An account's data, when its owner wrote an account of this kind there. */
function dataOf(account: Account | undefined, owner: Address, layout: Layout): Buffer | undefined {
  if (account === undefined || account.owner !== owner) return undefined
  const { mark, least, bytes } = layout
  if (account.data.length < least) return undefined
  if (mark.some((byte, at) => account.data[at] !== byte)) return undefined
  const data = Buffer.alloc(Math.max(bytes, account.data.length))
  data.set(account.data)
  return data
}

/** Source: `BondingCurve` of the interface. */
export function readCurve(
  tools: ModuleTools,
  program: Address,
  account: Account | undefined,
): Curve | undefined {
  const data = dataOf(account, program, CURVE)
  if (data === undefined) return undefined
  return {
    virtualTokens: data.readBigUInt64LE(8),
    virtualLamports: data.readBigUInt64LE(16),
    realTokens: data.readBigUInt64LE(24),
    realLamports: data.readBigUInt64LE(32),
    isComplete: data[48] !== 0,
    creator: addressAt(tools, data, 49),
    isMayhem: data[81] !== 0,
    quoteMint: addressAt(tools, data, 83),
    creatorFee: data.readBigUInt64LE(115),
  }
}

/** Source: `Global` of the interface. Without anybody who takes its fees there is no trade. */
export function readGlobal(
  tools: ModuleTools,
  program: Address,
  account: Account | undefined,
  nobody: Address,
): Global | undefined {
  const data = dataOf(account, program, GLOBAL)
  if (data === undefined) return undefined
  const list = (from: number, count: number): readonly Address[] =>
    Array.from({ length: count }, (_, at) =>
      addressAt(tools, data, from + at * ADDRESS_BYTES),
    ).filter((each) => each !== nobody)
  const feeRecipients = [...list(41, 1), ...list(162, 7)]
  const buybackRecipients = list(741, 8)
  if (feeRecipients.length === 0 || buybackRecipients.length === 0) return undefined
  return {
    feeRecipients,
    buybackRecipients,
    isCreatorFeeOwn: data[1_045] !== 0,
  }
}

/** Source: `FeeConfig` of the fee program's interface; its first list of tiers, which is that of curves in lamports. */
export function readFeeTiers(
  feeProgram: Address,
  account: Account | undefined,
): readonly FeeTier[] | undefined {
  const data = dataOf(account, feeProgram, FEE_CONFIG)
  if (data === undefined) return undefined
  const count = data.readUInt32LE(TIERS_AT)
  const first = TIERS_AT + 4
  if (count === 0 || count > TIERS_MAX || data.length < first + count * TIER_BYTES) return undefined
  return Array.from({ length: count }, (_, index) => {
    const at = first + index * TIER_BYTES
    return {
      from: data.readBigUInt64LE(at) + (data.readBigUInt64LE(at + 8) << 64n),
      // What liquidity providers get, at 16, is of pools.
      protocol: data.readBigUInt64LE(at + 24),
      creator: data.readBigUInt64LE(at + 32),
    }
  })
}

function addressAt(tools: ModuleTools, data: Buffer, at: number): Address {
  return tools.addressFromBytes(data.subarray(at, at + ADDRESS_BYTES))
}
