import type { Address, Chain } from './chain.ts'

/** How an address of zeros is spelled: in hex (EVM), and in base58 (Solana). */
const ALL_ZEROS = /^(?:0x0+|1+)$/

/** Whether nobody can spend what this address receives: a token itself, or the address of all zeros. */
export function isNobody({ config }: Pick<Chain, 'config'>, address: Address): boolean {
  return config.assets.some(({ asset }) => asset === address) || ALL_ZEROS.test(address)
}
