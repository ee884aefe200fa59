import type { Family } from '@florin/wire/network.ts'
import type { Address } from '../chains/chain.ts'
import type { SecretBytes } from '../kernel/secret.ts'

/** How a chain family makes and uses private keys. A family that custody serves is one file that implements this. */
export interface KeyScheme {
  readonly family: Family
  /** A new private key; the caller erases it. */
  generate(): SecretBytes
  /** The address of a private key in its canonical spelling. */
  addressOf(privateKey: SecretBytes): Address
  /** What chains/signer.ts promises for the family. */
  sign(payload: Uint8Array, privateKey: SecretBytes): Uint8Array
}
