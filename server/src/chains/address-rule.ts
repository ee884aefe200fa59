import type { Family } from '@florin/wire/network.ts'

/**
 * What an address of a network has to be, to say so where one is not. One of Solana has no checksum: a wrong letter may well be the address of
 * somebody else, and nobody shall believe that it would have been noticed.
 */
export function addressRule({ family }: { readonly family: Family }): string {
  return {
    evm: 'must be a valid evm address with a right checksum',
    solana: 'must be a valid solana address: 32 bytes in base58',
  }[family]
}
