import type { Address } from '@florin/server/chains/chain.ts'

/** A payer's permission to move its token once, as a model chain knows it: who carries it there pays the fee and nothing else. */
export interface Authorization {
  readonly payer: Address
  readonly nonce: string
  /** Unix seconds; null where the height of the transaction says when it is over. */
  readonly validBeforeSeconds: bigint | null
}

export const authorizationKey = ({ payer, nonce }: Authorization) =>
  `${payer} authorization ${nonce}`

/** Whether a block of this time still takes it. */
export function isInTime({ validBeforeSeconds }: Authorization, timeMilliseconds: number): boolean {
  return validBeforeSeconds === null || BigInt(timeMilliseconds) < validBeforeSeconds * 1_000n
}
