import { createHash } from 'node:crypto'
import { AccountRole, getAddressEncoder } from '@solana/kit'
import type { Address, Instruction, KeyPairSigner } from '@solana/kit'
import { TOKEN_2022_PROGRAM } from '../solana/chain/program-addresses.ts'

interface Told {
  readonly mint: Address
  readonly authority: KeyPairSigner
  readonly name: string
  readonly symbol: string
  readonly uri: string
}

/** A mint of Token-2022 with nothing but a pointer to its metadata: padded to an account, its kind, and the extension. */
export const METADATA_POINTER_MINT_BYTES = 165 + 1 + 4 + 64

const METADATA_POINTER = Uint8Array.of(39, 0)
const HEADER_BYTES = 4

/** How long the metadata make the mint, header included. */
export function metadataBytes(told: Told): number {
  // Authority, mint, the three texts, and a count of further fields.
  return HEADER_BYTES + 32 + 32 + texts(told).length + 4
}

/**
 * The instruction that lets a mint point to itself, before it is initialized, and the one that names it, after. Source: SPL
 * Token-2022, metadata pointer; SPL token metadata interface.
 */
export function tokenMetadata(told: Told): Record<'pointer' | 'metadata', Instruction> {
  const { mint, authority } = told
  const address = getAddressEncoder()
  const discriminator = createHash('sha256')
    .update('spl_token_metadata_interface:initialize_account')
    .digest()
    .subarray(0, 8)
  return {
    pointer: {
      programAddress: TOKEN_2022_PROGRAM,
      accounts: [{ address: mint, role: AccountRole.WRITABLE }],
      data: Buffer.concat([
        METADATA_POINTER,
        Uint8Array.from(address.encode(authority.address)),
        Uint8Array.from(address.encode(mint)),
      ]),
    },
    metadata: {
      programAddress: TOKEN_2022_PROGRAM,
      accounts: [
        { address: mint, role: AccountRole.WRITABLE },
        { address: authority.address, role: AccountRole.READONLY },
        { address: mint, role: AccountRole.READONLY },
        { address: authority.address, role: AccountRole.READONLY_SIGNER },
      ],
      data: Buffer.concat([discriminator, texts(told)]),
    },
  }
}

function texts({ name, symbol, uri }: Told): Buffer {
  return Buffer.concat(
    [name, symbol, uri].flatMap((text) => {
      const length = Buffer.alloc(4)
      length.writeUInt32LE(Buffer.byteLength(text))
      return [length, Buffer.from(text)]
    }),
  )
}
