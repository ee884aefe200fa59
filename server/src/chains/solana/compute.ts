import type { Mint } from './mint.ts'

/** What a transaction may use at most. Source: Agave, `MAX_COMPUTE_UNIT_LIMIT`. */
export const UNITS_MAX = 1_400_000n
/** Offered when nothing was simulated because the balance is short. */
export const UNITS_UNKNOWN = 200_000n
/** A price that is set takes an instruction of 150 units that the simulation had not. */
const UNITS_SPARE = 1_000n

/** The limit for so many units used in simulation: a quarter more, for what an unlucky account address adds. */
export function unitsLimit(used: bigint): bigint {
  const limit = used + used / 4n + UNITS_SPARE
  return limit < UNITS_MAX ? limit : UNITS_MAX
}

/** What a transfer's use of compute units depends on; equal shapes use equally much. */
export function shapeOf(mint: Mint | undefined, accountTries: number): string {
  return mint === undefined ? 'native' : `${mint.program} ${mint.address} ${accountTries}`
}
