import type { Address, Chain } from './chain.ts'

/** How an address of zeros is spelled: in hex (EVM), and in base58 (Solana). */
const ALL_ZEROS = /^(?:0x0+|1+)$/

/** The mint of wrapped SOL, on every cluster of Solana: a token that each has, listed or not. */
const WRAPPED_SOL = 'So11111111111111111111111111111111111111112'

/** Whether nobody can spend what this address receives: a token itself, or the address of all zeros. */
export function isNobody({ config }: Pick<Chain, 'config'>, address: Address): boolean {
  const isAsset = config.assets.some(({ asset }) => asset === address)
  return isAsset || address === WRAPPED_SOL || ALL_ZEROS.test(address)
}
