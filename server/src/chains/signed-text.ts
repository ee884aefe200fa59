import type { Family } from '@florin/wire/network.ts'
import type { Address } from './chain.ts'
import { isTextSignedBy as isSignedOnEvm } from './evm/signed-text.ts'
import { isTextSignedBy as isSignedOnSolana } from './solana/signed-text.ts'

/** Whether the holder of an address signed a text, each family in its wallets' usual way. Asks no node. */
export function isTextSignedBy(
  family: Family,
  address: Address,
  text: string,
  signature: string,
): boolean {
  switch (family) {
    case 'evm':
      return isSignedOnEvm(address, text, signature)
    case 'solana':
      return isSignedOnSolana(address, text, signature)
    default:
      return family satisfies never
  }
}
